"""Boxes of `tf.image`. The expected values are TensorFlow's."""

import numpy as np
import pytest

import gradtape as tf

Invalid = tf.errors.InvalidArgumentError
BOXES = tf.constant(
    [
        [0, 0, 1, 1],
        [0, 0.1, 1, 1.1],
        [0, -0.1, 1, 0.9],
        [0, 10, 1, 11],
        [0, 10.1, 1, 11.1],
        [0, 100, 1, 101],
    ],
    tf.float32,
)
SCORES = tf.constant([0.9, 0.75, 0.6, 0.95, 0.5, 0.3])


def listed(found):
    return [f.numpy().tolist() for f in found]


def test_non_max_suppression():
    suppress = tf.image.non_max_suppression
    assert suppress(BOXES, SCORES, 3).numpy().tolist() == [3, 0, 5]
    assert suppress(BOXES, SCORES, 6, score_threshold=0.4).numpy().tolist() == [3, 0]
    assert suppress(BOXES, SCORES, 6, iou_threshold=0.9).numpy().tolist() == [3, 0, 1, 2, 4, 5]
    turned = tf.gather(BOXES, [2, 3, 0, 1], axis=1)
    assert suppress(turned, SCORES, 3).numpy().tolist() == [3, 0, 5]
    assert suppress(tf.zeros([0, 4]), tf.zeros([0]), 3).shape == [0]


def test_soft_suppression():
    which, scores = tf.image.non_max_suppression_with_scores(BOXES, SCORES, 6, soft_nms_sigma=0.5)
    assert which.numpy().tolist() == [3, 0, 1, 5, 4, 2]
    np.testing.assert_allclose(scores, [0.95, 0.9, 0.38400355, 0.3, 0.2560026, 0.19697244], rtol=1e-6)
    which, _ = tf.image.non_max_suppression_with_scores(BOXES, SCORES, 6, score_threshold=0.4, soft_nms_sigma=0.5)
    assert which.numpy().tolist() == [3, 0]


def test_padded():
    padded = tf.image.non_max_suppression_padded
    assert listed(padded(BOXES, SCORES, 5, pad_to_max_output_size=True)) == [[3, 0, 5, 0, 0], 3]
    assert listed(padded(BOXES, SCORES, 5)) == [[3, 0, 5], 3]
    assert listed(padded(BOXES[None], SCORES[None], 4, pad_to_max_output_size=True)) == [[[3, 0, 5, 0]], [3]]


def test_given_overlaps():
    overlaps = tf.constant([[1.0, 0.9, 0.1], [0.9, 1.0, 0.1], [0.1, 0.1, 1.0]])
    kept = tf.image.non_max_suppression_overlaps(overlaps, [0.5, 0.9, 0.1], 3, 0.5, 0.05)
    assert kept.numpy().tolist() == [1, 2]


def test_combined():
    boxes, scores = tf.reshape(BOXES / 12.0, [1, 6, 1, 4]), tf.stack([SCORES, 1 - SCORES], 1)[None]
    found = tf.image.combined_non_max_suppression(boxes, scores, 2, 5)
    np.testing.assert_allclose(found.nmsed_scores, [[0.95, 0.9, 0.7, 0.5, 0]], rtol=1e-6)
    assert found.nmsed_classes.numpy().tolist() == [[0, 0, 1, 1, 0]]
    assert found.valid_detections.numpy().tolist() == [4]
    assert found.nmsed_boxes[0, 2, 3].numpy() == 1  # cut off
    found = tf.image.combined_non_max_suppression(boxes, scores, 2, 5, pad_per_class=True, score_threshold=0.5)
    np.testing.assert_allclose(found.nmsed_scores, [[0.95, 0.9, 0.7, 0]], rtol=1e-6)


def test_drawing():
    image = tf.image.draw_bounding_boxes(tf.zeros([1, 6, 7, 3]), [[[0.1, 0.2, 0.6, 0.8]]], [[1.0, 2.0, 3.0]])
    edges = [[0, 1, 1, 1, 1, 0, 0], *[[0, 1, 0, 0, 1, 0, 0]] * 2, [0, 1, 1, 1, 1, 0, 0], [0] * 7, [0] * 7]
    assert image[0, :, :, 1].numpy().tolist() == (2 * np.array(edges)).tolist()
    image = tf.image.draw_bounding_boxes(tf.zeros([1, 3, 7, 3]), [[[-0.5, 0.5, 0.5, 1.4]]], None)
    assert image[0, :, :, 0].numpy().tolist() == [[0, 0, 0, 1, 0, 0, 0], [0, 0, 0, 1, 1, 1, 1], [0] * 7]


@pytest.mark.parametrize(
    ("call", "error", "text"),
    [
        (lambda: tf.image.non_max_suppression(BOXES, SCORES[:3], 3), Invalid, "scores"),
        (lambda: tf.image.non_max_suppression(SCORES, SCORES, 3), Invalid, "boxes"),
        (lambda: tf.image.non_max_suppression(BOXES, SCORES, 3, iou_threshold=2.0), Invalid, "iou_threshold"),
        (lambda: tf.image.non_max_suppression(BOXES, SCORES, -1), Invalid, "max_output_size"),
        (lambda: tf.image.non_max_suppression_padded(BOXES[None], SCORES[None], 3), ValueError, "batched"),
        (lambda: tf.image.non_max_suppression_overlaps(BOXES, SCORES, 3), Invalid, "overlaps"),
        (lambda: tf.image.combined_non_max_suppression(BOXES, SCORES, 3, 3), Invalid, "classes"),
        (lambda: tf.image.draw_bounding_boxes(tf.zeros([6, 7, 3]), BOXES, None), Invalid, "rank"),
        (lambda: tf.image.draw_bounding_boxes(tf.zeros([1, 6, 7, 3]), BOXES, None), Invalid, "boxes"),
        (lambda: tf.image.draw_bounding_boxes(tf.zeros([1, 6, 7, 3]), BOXES[None], [1.0]), Invalid, "colors"),
    ],
)
def test_wrong_arguments(call, error, text):
    with pytest.raises(error, match=text):
        call()
