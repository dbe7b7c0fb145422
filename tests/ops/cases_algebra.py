"""Cases of products, solvers and factorisations."""

import itertools
import math

import numpy as np

from gradtape.ops import factoring, linalg, matrix_functions, solving

from .opcase import OpCase

A = np.array([[1.2, -0.7, 0.4], [0.3, 2.1, -1.1], [-0.9, 0.6, 1.7]])
B = np.array([[0.5, 1.4], [-1.3, 0.8], [2.2, -0.6]])
STACK = np.stack([A, A.T + 0.3 * np.eye(3)])
SYMMETRIC = A @ A.T + np.diag([0.5, 1.5, 3.0])
SINGULAR = np.array([[1.0, 2.0, 3.0], [2.0, 4.0, 6.0], [0.5, -1.0, 2.0]])
TALL = np.array([[1.0, 2.0], [-0.5, 0.7], [0.3, -1.2], [2.1, 0.4]])
C = {"dtypes": ("complex128",)}


def product(a, b):
    return np.array(
        [[sum(a[i, k] * b[k, j] for k in range(a.shape[1])) for j in range(b.shape[1])] for i in range(a.shape[0])]
    )


def leibniz(m):
    """The determinant as a sum over permutations."""
    n = len(m)
    total = 0.0
    for p in itertools.permutations(range(n)):
        sign = (-1) ** sum(p[i] > p[j] for i in range(n) for j in range(i + 1, n))
        total += sign * math.prod(m[i][p[i]] for i in range(n))
    return np.asarray(total)


def cofactor_matrix(m):
    n = len(m)
    without = [[np.delete(np.delete(m, i, 0), j, 1) for j in range(n)] for i in range(n)]
    return np.array([[(-1) ** (i + j) * leibniz(without[i][j]) for j in range(n)] for i in range(n)])


def all_minors(m):
    return np.array([[np.delete(np.delete(m, i, 0), j, 1) for j in range(len(m))] for i in range(len(m))])


ROOT = A + 1.5 * np.eye(3)
TURNED = (2 * np.eye(3) - A) * (0.3 + 1j) - 1.5 * np.eye(3)


def by_eigenvalues(f):
    def value(x):
        w, v = np.linalg.eig(x)
        return v * f(w) @ np.linalg.inv(v)

    return value


CASES = [
    OpCase(linalg.matmul, [A, B], {}, product),
    OpCase(
        linalg.matmul, [STACK, B], {}, lambda a, b: np.stack([product(a[0], b), product(a[1], b)]), label="broadcast"
    ),
    OpCase(linalg.matmul, [A + 1j * A.T, B - 0.5j * B[::-1]], {}, product, label="complex", **C),
    OpCase(linalg.contract, [A, B], {"labels": ("ij", "jk", "ki")}, lambda a, b: product(a, b).T),
    OpCase(
        linalg.contract,
        [STACK, A],
        {"labels": ("bij", "ij", "b")},
        lambda a, b: np.array([(a[0] * b).sum(), (a[1] * b).sum()]),
        label="scalar",
    ),
    OpCase(
        linalg.take_diagonals, [STACK], {"labels": "bii"}, lambda x: np.array([[m[i, i] for i in range(3)] for m in x])
    ),
    OpCase(
        linalg.put_diagonals, [B], {"labels": "bii", "shape": (3, 2, 2)}, lambda x: np.stack([np.diag(r) for r in x])
    ),
    OpCase(solving.inverse, [A], {}, lambda a: cofactor_matrix(a).T / leibniz(a)),
    OpCase(solving.solve, [A, B], {}, lambda a, b: product(cofactor_matrix(a).T, b) / leibniz(a)),
    OpCase(solving.det, [A], {}, leibniz),
    OpCase(solving.det, [SINGULAR], {}, leibniz, label="singular"),
    OpCase(solving.slogdet, [A], {}, lambda a: (np.sign(leibniz(a)), np.log(np.abs(leibniz(a)))), live=(0,)),
    OpCase(solving.cofactors, [A], {}, cofactor_matrix),
    OpCase(solving.cofactors, [SINGULAR], {}, cofactor_matrix, label="singular"),
    OpCase(
        solving.alternating,
        [A],
        {},
        lambda x: np.array([[x[i, j] * (-1) ** (i + j) for j in range(3)] for i in range(3)]),
    ),
    OpCase(solving.minors, [A], {}, all_minors),
    OpCase(
        solving.spread_minors,
        [np.arange(36.0).reshape(3, 3, 2, 2)],
        {"size": 3},
        lambda x: sum(np.insert(np.insert(x[i, j], i, 0, 0), j, 0, 1) for i in range(3) for j in range(3)),
    ),
    OpCase(factoring.cholesky, [SYMMETRIC], {}, np.linalg.cholesky, symmetric=True),
    OpCase(factoring.eigh, [SYMMETRIC], {}, None),
    OpCase(factoring.eig, [np.diag([1.0, 2.5, 4.0]) + 0.2 * A + 0.1j * A.T], {}, None, orders=1, free=(1,), **C),
    OpCase(factoring.svd, [TALL], {"full_matrices": False}, None),
    OpCase(factoring.svd, [TALL[:3]], {"full_matrices": True}, None, label="full"),
    OpCase(factoring.svd, [TALL[:3].T.copy()], {"full_matrices": True}, None, label="full-wide"),
    OpCase(factoring.qr, [TALL], {"full_matrices": False}, None),
    OpCase(matrix_functions.sqrtm, [ROOT @ ROOT], {}, lambda x: ROOT),
    OpCase(matrix_functions.sqrtm, [SYMMETRIC], {}, by_eigenvalues(np.sqrt), symmetric=True, label="symmetric"),
    OpCase(matrix_functions.sqrtm, [TURNED], {}, by_eigenvalues(np.sqrt), label="complex", **C),
    OpCase(matrix_functions.logm, [TURNED], {}, by_eigenvalues(np.log), **C),
    OpCase(matrix_functions.logm, [SYMMETRIC + 0j], {}, by_eigenvalues(np.log), label="symmetric", **C),
    OpCase(factoring.lu, [A], {"dtype": np.dtype("int32")}, None),
]
