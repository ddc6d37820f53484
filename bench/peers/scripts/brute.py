"""Brute force by OpenBLAS: tiles of inner products, selection fused into them.

Every thread takes rows of its own, with one thread of BLAS: products of a tile are
still in its cache when it is looked through, and nobody waits for anybody.
"""

import concurrent.futures
import os

ROWS, COLUMNS = 256, 1024  # of a tile: 1 MiB, a second-level cache
RUN = 64  # products that are compared with a row's worst at a time: four vectors


def environment():
    """To be called before numpy is imported."""
    os.environ["OPENBLAS_NUM_THREADS"] = "1"
    with open("/proc/cpuinfo") as f:
        if "avx512f" in f.read():
            os.environ["OPENBLAS_CORETYPE"] = "SKYLAKEX"


def blas():
    """The BLAS that numpy uses, and the CPU that it was made for."""
    import threadpoolctl

    found = [i for i in threadpoolctl.threadpool_info() if i["user_api"] == "blas"]
    return ", ".join(sorted({"%s %s %s" % (i["internal_api"], i["version"], i.get("architecture", "")) for i in found}))


def selector():
    import numba
    import numpy as np

    two = np.float32(2)  # a float64 would widen everything

    @numba.njit(nogil=True, fastmath={"nnan", "nsz", "reassoc"})
    def select(products, norms, first, keys, ids):
        """Offers the columns of a tile to the lists of its rows, which ascend."""
        for r in range(products.shape[0]):
            worst = keys[r, -1]
            for start in range(0, products.shape[1], RUN):
                p, n = products[r, start : start + RUN], norms[first + start : first + start + RUN]
                low = worst
                for j in range(RUN):  # becomes vector instructions, as a count of bools would not
                    low = min(low, n[j] - two * p[j])
                if low >= worst:
                    continue
                for j in range(RUN):
                    key = n[j] - two * p[j]
                    if key < worst:
                        at = keys.shape[1] - 1
                        while at > 0 and keys[r, at - 1] > key:
                            keys[r, at], ids[r, at] = keys[r, at - 1], ids[r, at - 1]
                            at -= 1
                        keys[r, at], ids[r, at] = key, first + start + j
                        worst = keys[r, -1]

    return select


def search(x, count, k, threads):
    """The k nearest rows, itself among them, of the first count rows of x."""
    import numpy as np

    select = SELECT or selector()
    norms = np.full(len(x) + COLUMNS, np.inf, dtype=np.float32)  # what fills the last tile is never near
    norms[: len(x)] = np.einsum("ij,ij->i", x, x)
    lists = np.empty((count, k), dtype=np.int32)

    def work(first):
        part = x[first : min(first + ROWS, count)]
        keys = np.full((len(part), k), np.inf, dtype=np.float32)
        tile = np.zeros((len(part), COLUMNS), dtype=np.float32)
        for column in range(0, len(x), COLUMNS):
            others = x[column : column + COLUMNS]
            np.matmul(part, others.T, out=tile[:, : len(others)])
            select(tile, norms, column, keys, lists[first : first + len(part)])

    with concurrent.futures.ThreadPoolExecutor(threads) as pool:
        list(pool.map(work, range(0, count, ROWS)))
    return lists


SELECT = None


def compile(x, k):
    """Compiles the selection, on a few rows."""
    global SELECT
    SELECT = selector()
    search(x[:4096], min(len(x), 256), k, 1)
