"""Nearest rows by comparing all with all, for rows that are in no graph."""

import numpy as np

from . import _errors

_BYTES = 1 << 28  # of a batch's arrays


def nearest(queries, rows, k, metric):
    """The k rows nearest to each query: (indices, distances), nearest first, ties by number."""
    k = min(k, len(rows))
    rows = np.asarray(rows, np.float64)
    center = rows.mean(axis=0) if metric in _EUCLIDEAN else 0  # far from zero, products lose the differences of rows
    centered = rows - center if metric in _EUCLIDEAN else rows
    indices, distances = np.empty((len(queries), k), np.int32), np.empty((len(queries), k), np.float32)
    step = _step(len(rows), rows.shape[1], k)
    for at in range(0, len(queries), step):
        some = np.asarray(queries[at:at + step], np.float64)
        keys = _keys(some - center, centered, metric)
        found = np.argsort(keys, axis=1, kind="stable")[:, :k] if k * 8 > len(rows) else _least(keys, k)
        far = _distances(some, rows, found, metric)
        order = np.lexsort((found, far))
        indices[at:at + step] = np.take_along_axis(found, order, 1)
        distances[at:at + step] = np.take_along_axis(far, order, 1)
    return indices, distances


def _step(n, dim, k):
    """Queries of a batch: it has keys of all rows and their order, and the k rows found and their differences."""
    return max(1, _BYTES // (8 * (3 * n + 3 * k * dim)))


def _least(keys, k):
    found = np.sort(np.argpartition(keys, k - 1, axis=1)[:, :k], axis=1)
    order = np.argsort(np.take_along_axis(keys, found, 1), axis=1, kind="stable")
    return np.take_along_axis(found, order, 1)


def _centered(x):
    return x - x.mean(axis=-1, keepdims=True)


_DIFFERENCES = {  # of metrics without products: how absolute differences make a distance
    "l1": np.sum, "manhattan": np.sum, "cityblock": np.sum, "chebyshev": np.max, "linf": np.max,
}
_EUCLIDEAN = ("euclidean", "l2", "sqeuclidean")
_PRODUCTS = (*_EUCLIDEAN, "cosine", "ip", "correlation")


def _keys(a, b, metric):
    """Numbers that order as distances do."""
    if metric in _DIFFERENCES:
        return np.stack([_DIFFERENCES[metric](np.abs(b - row), axis=1) for row in a]) if len(a) else np.empty((0, len(b)))
    if metric not in _PRODUCTS:
        raise _errors.UsageError(f"metric {metric!r}: rows that were not fitted can be compared by {', '.join(_PRODUCTS)} and {', '.join(_DIFFERENCES)}")
    if metric == "correlation":
        a, b, metric = _centered(a), _centered(b), "cosine"
    products = a @ b.T
    if metric == "ip":
        return -products
    if metric == "cosine":
        return -products / np.maximum(np.linalg.norm(b, axis=1), np.finfo(float).tiny)
    return (b * b).sum(axis=1) - 2 * products


def _distances(a, b, found, metric):
    """Distances of the pairs found, from their differences, which products lose."""
    near = b[found]
    if metric in _DIFFERENCES:
        return _DIFFERENCES[metric](np.abs(a[:, None, :] - near), axis=2)
    if metric == "correlation":
        a, near, metric = _centered(a), _centered(near), "cosine"
    if metric == "ip":
        return -np.einsum("ij,ikj->ik", a, near)
    if metric == "cosine":
        lengths = np.linalg.norm(a, axis=1)[:, None] * np.linalg.norm(near, axis=2)
        return 1 - np.einsum("ij,ikj->ik", a, near) / np.maximum(lengths, np.finfo(float).tiny)
    squares = ((a[:, None, :] - near) ** 2).sum(axis=2)
    return squares if metric == "sqeuclidean" else np.sqrt(squares)
