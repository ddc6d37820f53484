"""Rows as every script here reads them, and lists as it writes them."""

import gzip

import numpy as np


def rows(path, limit=0):
    """The first limit rows of a .npy, .bvecs, .fvecs, .u8bin or .fbin file, 0 being
    all, as float32."""
    if path.endswith(".gz"):
        with gzip.open(path) as f:
            data = f.read()
        path = path[:-3]
    else:
        with open(path, "rb") as f:
            data = f.read()
    if path.endswith(".npy"):
        import io

        x = np.load(io.BytesIO(data))
    elif path.endswith((".bvecs", ".fvecs")):
        dim = int(np.frombuffer(data, "<i4", 1)[0])
        size = dim if path.endswith(".bvecs") else 4 * dim
        x = np.frombuffer(data, np.uint8).reshape(-1, 4 + size)[:, 4:]
        if path.endswith(".fvecs"):
            x = np.ascontiguousarray(x).view("<f4")
    else:
        n, dim = np.frombuffer(data, "<u4", 2)
        kind = np.uint8 if path.endswith(".u8bin") else np.dtype("<f4")
        x = np.frombuffer(data, kind, int(n) * int(dim), 8).reshape(int(n), int(dim))
    return np.ascontiguousarray(x[: limit or len(x)], dtype=np.float32)


def mapped(path):
    """The rows of a .npy, .u8bin or .fbin file in place, as they are."""
    if path.endswith(".npy"):
        return np.load(path, mmap_mode="r")
    n, dim = np.fromfile(path, "<u4", 2)
    kind = np.uint8 if path.endswith(".u8bin") else np.dtype("<f4")
    return np.memmap(path, kind, "r", 8, (int(n), int(dim)))


def save(path, lists):
    """Writes n x k row numbers, the row itself among them or not."""
    lists = np.ascontiguousarray(lists, dtype="<i4")
    with open(path, "wb") as f:
        np.array(lists.shape, dtype="<u4").tofile(f)
        lists.tofile(f)
