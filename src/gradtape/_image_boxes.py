"""`tf.image`: boxes, which of them to keep, and drawing them. No gradients flow, as in TensorFlow."""

from __future__ import annotations

import heapq
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from gradtape._axes import whole
from gradtape.base.errors import invalid
from gradtape.core.convert import to_tensor
from gradtape.core.effects import settled
from gradtape.core.tensor import Tensor, wrap

COLOURS = np.array(
    [
        [1, 1, 0, 1],
        [0, 0, 1, 1],
        [1, 0, 0, 1],
        [0, 1, 0, 1],
        [0.5, 0, 0.5, 1],
        [0.5, 0.5, 0, 1],
        [0.5, 0, 0, 1],
        [0, 0, 0.5, 1],
        [0, 1, 1, 1],
        [1, 0, 1, 1],
    ],
    np.float32,
)
"""Yellow, blue, red, lime, purple, olive, maroon, navy, aqua, fuchsia."""


class CombinedNonMaxSuppression(NamedTuple):
    """What `combined_non_max_suppression` returns."""

    nmsed_boxes: Tensor
    nmsed_scores: Tensor
    nmsed_classes: Tensor
    valid_detections: Tensor


def _values(boxes: Any, scores: Any, rank: int = 2) -> tuple[Any, Any]:
    """Boxes [n, 4] and scores [n], or batches of them."""
    b, s = settled(to_tensor(boxes, None, "boxes")), settled(to_tensor(scores, None, "scores"))
    if b.ndim != rank or b.shape[-1] != 4:
        raise invalid(f"boxes must be [{'..., ' * (rank > 2)}n, 4], got {list(b.shape)}")
    if s.shape != b.shape[:-1]:
        raise invalid(f"scores has incompatible shape: {list(s.shape)}, boxes have {list(b.shape)}")
    return b, s


def _threshold(value: Any, name: str) -> float:
    found = float(settled(to_tensor(value, None, name)))
    if not 0 <= found <= 1:
        raise invalid(f"{name} must be in [0, 1], got {found}")
    return found


def _number(value: Any, name: str) -> float:
    return float(settled(to_tensor(value, None, name)))


def _size(value: Any, name: str = "max_output_size") -> int:
    n = whole(value, name)
    if n < 0:
        raise invalid(f"{name} must be non-negative, got {n}")
    return n


def _overlaps(boxes: Any) -> Callable[[int, int], float]:
    """Intersection over union of two boxes, whichever corners they are given by."""
    low = np.minimum(boxes[:, :2], boxes[:, 2:]).astype(np.float64)
    high = np.maximum(boxes[:, :2], boxes[:, 2:]).astype(np.float64)
    areas = (high - low).prod(axis=1)

    def overlap(i: int, j: int) -> float:
        if areas[i] <= 0 or areas[j] <= 0:
            return 0.0
        common = np.maximum(np.minimum(high[i], high[j]) - np.maximum(low[i], low[j]), 0).prod()
        return float(common / (areas[i] + areas[j] - common))

    return overlap


def _kept(
    overlap: Callable[[int, int], float], scores: Any, most: int, limit: float, least: float, sigma: float = 0.0
) -> tuple[list[int], list[float]]:
    """The boxes kept, best first, and their scores, which `sigma` makes less by overlaps (N. Bodla et al., 2017)."""
    queue = [(-float(s), i, 0) for i, s in enumerate(scores) if s > least]
    heapq.heapify(queue)
    kept: list[int] = []
    values: list[float] = []
    while queue and len(kept) < most:
        negative, i, seen = heapq.heappop(queue)
        score = -negative
        for j in reversed(kept[seen:]):
            common = overlap(i, j)
            if sigma > 0:
                score *= float(np.exp(-0.5 / sigma * common * common))
            elif common > limit:
                score = -np.inf
            if score <= least:
                break
        if score == -negative:
            kept.append(i)
            values.append(score)
        elif score > least:
            heapq.heappush(queue, (-score, i, len(kept)))
    return kept, values


def non_max_suppression(
    boxes: Any,
    scores: Any,
    max_output_size: Any,
    iou_threshold: Any = 0.5,
    score_threshold: Any = float("-inf"),
    name: str | None = None,
) -> Tensor:
    """Return the numbers of boxes (int32), best first, that do not overlap a better one too much.

    Args:
        boxes: [n, 4], two opposite corners of each: y1, x1, y2, x2.
        scores: [n].
        max_output_size: how many at most.
        iou_threshold: boxes whose intersection is more than this part of their union overlap too much.
        score_threshold: boxes with no better score are left out.

    Raises:
        InvalidArgumentError: if shapes do not fit, or the threshold is not in [0, 1].

    >>> import gradtape as tf
    >>> boxes = [[0.0, 0.0, 1.0, 1.0], [0.0, 0.1, 1.0, 1.1], [0.0, 5.0, 1.0, 6.0]]
    >>> tf.image.non_max_suppression(boxes, [0.5, 0.9, 0.1], 3).numpy()
    array([1, 2], dtype=int32)
    """
    return non_max_suppression_with_scores(boxes, scores, max_output_size, iou_threshold, score_threshold)[0]


def non_max_suppression_with_scores(
    boxes: Any,
    scores: Any,
    max_output_size: Any,
    iou_threshold: Any = 0.5,
    score_threshold: Any = float("-inf"),
    soft_nms_sigma: Any = 0.0,
    name: str | None = None,
) -> tuple[Tensor, Tensor]:
    """`non_max_suppression`, and the scores. With `soft_nms_sigma` overlaps make scores less instead."""
    b, s = _values(boxes, scores)
    limit, least = _threshold(iou_threshold, "iou_threshold"), _number(score_threshold, "score_threshold")
    sigma = _number(soft_nms_sigma, "soft_nms_sigma")
    kept, values = _kept(_overlaps(b), s, _size(max_output_size), limit, least, sigma)
    return wrap(np.array(kept, np.int32)), wrap(np.array(values, s.dtype))


def non_max_suppression_overlaps(
    overlaps: Any,
    scores: Any,
    max_output_size: Any,
    overlap_threshold: Any = 0.5,
    score_threshold: Any = float("-inf"),
    name: str | None = None,
) -> Tensor:
    """`non_max_suppression`, given how much each of n boxes overlaps each, [n, n]."""
    table, s = settled(to_tensor(overlaps, None, "overlaps")), settled(to_tensor(scores, None, "scores"))
    if s.ndim != 1 or table.shape != (len(s), len(s)):
        raise invalid(f"overlaps must be [n, n] and scores [n], got {list(table.shape)} and {list(s.shape)}")
    limit, least = _number(overlap_threshold, "overlap_threshold"), _number(score_threshold, "score_threshold")
    kept, _ = _kept(lambda i, j: float(table[i, j]), s, _size(max_output_size), limit, least)
    return wrap(np.array(kept, np.int32))


def non_max_suppression_padded(
    boxes: Any,
    scores: Any,
    max_output_size: Any,
    iou_threshold: Any = 0.5,
    score_threshold: Any = float("-inf"),
    pad_to_max_output_size: bool = False,
    name: str | None = None,
    sorted_input: bool = False,
    canonicalized_coordinates: bool = False,
    tile_size: Any = 512,
) -> tuple[Tensor, Tensor]:
    """`non_max_suppression`, filled up with 0, and how many there are; also for batches, [..., n, 4].

    Args:
        pad_to_max_output_size: whether to fill up; a batch has to be.

    Raises:
        ValueError: for a batch that is not to be filled up.
    """
    rank = to_tensor(boxes, None, "boxes")._value.ndim
    if rank > 2 and not pad_to_max_output_size:
        raise ValueError("'pad_to_max_output_size' (value False) must be True for batched input")
    b, s = _values(boxes, scores, max(rank, 2))
    most, limit = _size(max_output_size), _threshold(iou_threshold, "iou_threshold")
    least = _number(score_threshold, "score_threshold")
    found = [_kept(_overlaps(b[i]), s[i], most, limit, least)[0] for i in np.ndindex(*b.shape[:-2])]
    counts = np.array([len(f) for f in found], np.int32).reshape(b.shape[:-2])
    width = most if pad_to_max_output_size else len(found[0])
    out = np.zeros((len(found), width), np.int32)
    for row, kept in zip(out, found, strict=True):
        row[: len(kept)] = kept
    return wrap(out.reshape(*b.shape[:-2], width)), wrap(counts)


def combined_non_max_suppression(
    boxes: Any,
    scores: Any,
    max_output_size_per_class: Any,
    max_total_size: Any,
    iou_threshold: Any = 0.5,
    score_threshold: Any = float("-inf"),
    pad_per_class: bool = False,
    clip_boxes: bool = True,
    name: str | None = None,
) -> CombinedNonMaxSuppression:
    """`non_max_suppression` within each class, and the best of all classes together.

    Args:
        boxes: [batch, n, classes, 4], or 1 in place of classes for the same boxes.
        scores: [batch, n, classes].
        max_output_size_per_class: how many at most in each class.
        max_total_size: how many at most of all classes.
        pad_per_class: return `max_output_size_per_class * classes` at most.
        clip_boxes: limit coordinates to [0, 1].

    Returns:
        Boxes [batch, m, 4], scores and classes [batch, m], filled up with 0, and how many there are, [batch].

    Raises:
        InvalidArgumentError: if shapes do not fit, or the threshold is not in [0, 1].
    """
    b, s = settled(to_tensor(boxes, None, "boxes")), settled(to_tensor(scores, None, "scores"))
    if b.ndim != 4 or s.ndim != 3 or b.shape[3] != 4 or b.shape[:2] != s.shape[:2] or b.shape[2] not in (1, s.shape[2]):
        raise invalid(
            f"boxes {list(b.shape)} and scores {list(s.shape)} must be [batch, n, classes or 1, 4] and "
            "[batch, n, classes]"
        )
    each, total = _size(max_output_size_per_class, "max_output_size_per_class"), _size(max_total_size, "max_total_size")
    limit, least = _threshold(iou_threshold, "iou_threshold"), _number(score_threshold, "score_threshold")
    batch, _, classes = s.shape
    width = min(total, each * classes) if pad_per_class else total
    out, values = np.zeros((batch, width, 4), b.dtype), np.zeros((batch, width), s.dtype)
    names, counts = np.zeros((batch, width), s.dtype), np.zeros(batch, np.int32)
    for i in range(batch):
        found = []
        for c in range(classes):
            own = b[i, :, c if b.shape[2] > 1 else 0]
            kept, _ = _kept(_overlaps(own), s[i, :, c], each, limit, least)
            found += [(-s[i, k, c], c, order, own[k]) for order, k in enumerate(kept)]
        best = sorted(found, key=lambda f: f[:3])[:width]
        counts[i] = len(best)
        for place, (negative, c, _, box) in enumerate(best):
            out[i, place], values[i, place], names[i, place] = box, -negative, c
    if clip_boxes:
        out = out.clip(0, 1)
    return CombinedNonMaxSuppression(wrap(out), wrap(values), wrap(names), wrap(counts))


def draw_bounding_boxes(images: Any, boxes: Any, colors: Any, name: str | None = None) -> Tensor:
    """Return images with the edges of boxes drawn into them.

    Args:
        images: [batch, height, width, depth], with 1, 3 or 4 channels.
        boxes: [batch, n, 4]: y1, x1, y2, x2 as parts of the height and width.
        colors: [m, depth], which take turns; ten of TensorFlow's own if None.

    Raises:
        InvalidArgumentError: if shapes do not fit.
    """
    picture, b = settled(to_tensor(images, None, "images")), settled(to_tensor(boxes, None, "boxes"))
    if picture.ndim != 4:
        raise invalid(f"The rank of the images should be 4, got shape {list(picture.shape)}")
    if b.ndim != 3 or b.shape[2] != 4 or len(b) != len(picture):
        raise invalid(f"boxes must be [{len(picture)}, n, 4], got {list(b.shape)}")
    _, height, width, depth = picture.shape
    table = COLOURS if colors is None else settled(to_tensor(colors, None, "colors"))
    if colors is None and depth == 1:
        table = np.ones((1, 1), np.float32)
    if table.ndim != 2 or table.shape[1] < depth:
        raise invalid(f"colors must be [m, {depth}], got {list(table.shape)}")
    out = picture.copy()
    for image, own in zip(out, b, strict=True):
        for n, box in enumerate(own):
            top, left, bottom, right = (int(x) for x in box * np.array([height - 1, width - 1] * 2, b.dtype))
            rows, columns = slice(max(top, 0), max(bottom + 1, 0)), slice(max(left, 0), max(right + 1, 0))
            colour = table[n % len(table), :depth]
            for row in {top, bottom} & set(range(height)):
                image[row, columns] = colour
            for column in {left, right} & set(range(width)):
                image[rows, column] = colour
    return wrap(out)
