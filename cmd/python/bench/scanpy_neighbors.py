"""Time and recall of neighbors through scanpy.pp.neighbors, for several backends.

    pip install scanpy pynndescent pipnn pyglass-portable ./cmd/python
    python cmd/python/bench/scanpy_neighbors.py --rows 200000 --threads 2

The rows are made, like principal components of cells: clusters of very different size, each with a
few directions of its own, and axes that fall off as those of a PCA do. All backends have equal
threads and give the same form, and each runs in a process of its own. The clock counts the whole
call: the backend, and what scanpy makes of its answer. What scanpy itself compiles is compiled before.
"first" is the backend's first call in the process, which compiles where a backend does; "again" the
second. Recall is that of 500 rows (--sample) against exact lists.
"""

import argparse
import json
import subprocess
import sys
import time
import warnings

import numpy as np

BACKENDS = ["knng 0.95", "knng 0.99", "pynndescent", "pipnn", "pyglass"]


def made(rows, dim, seed=1):
    """Rows like the principal components of cells."""
    rng = np.random.default_rng(seed)
    scale = 10 / np.sqrt(1 + np.arange(dim))
    sizes = rng.dirichlet(np.full(40, 0.4))
    of = rng.choice(len(sizes), rows, p=sizes)
    centers = rng.normal(size=(len(sizes), dim)) * scale
    x = rng.normal(size=(rows, dim)).astype(np.float32) * (0.25 * scale).astype(np.float32)
    for cluster in range(len(sizes)):
        own = of == cluster
        directions = rng.normal(size=(8, dim)) * scale / 4
        x[own] += (rng.gamma(2, 0.5, size=(own.sum(), 8)) @ directions + centers[cluster]).astype(np.float32)
    return x


class Given:
    """A transformer as scanpy takes one: the rows themselves first, then their nearest."""

    def __init__(self, n_neighbors, find):
        self.n_neighbors, self.find = n_neighbors, find

    def get_params(self, deep=True):
        return {"n_neighbors": self.n_neighbors}

    def fit_transform(self, x):
        from scipy.sparse import csr_matrix

        k, n = self.n_neighbors, len(x)
        indices = np.asarray(self.find(np.ascontiguousarray(x, np.float32), k)).astype(np.int32)
        indices = np.where(indices < 0, np.arange(n, dtype=np.int32)[:, None], indices)
        own = indices == np.arange(n, dtype=np.int32)[:, None]
        distances = np.empty(indices.shape, np.float32)
        for at in range(0, n, 1 << 14):  # by the rows: backends tell squares, or nothing
            some = slice(at, at + (1 << 14))
            distances[some] = np.linalg.norm(x[indices[some]] - x[some, None], axis=2)
        distances[own] = -1
        order = np.argsort(distances, axis=1, kind="stable")
        indices, distances = np.take_along_axis(indices, order, 1)[:, :k + 1], np.take_along_axis(distances, order, 1)[:, :k + 1]
        distances[distances < 0] = 0
        ends = np.arange(0, n * indices.shape[1] + 1, indices.shape[1])
        return csr_matrix((distances.ravel(), indices.ravel(), ends), shape=(n, n))


class Matrix:
    """A transformer whose sparse array is made the matrix that scanpy before 1.12 takes."""

    def __init__(self, inner):
        self.inner, self.get_params = inner, inner.get_params

    def fit_transform(self, x):
        from scipy.sparse import csr_matrix

        return csr_matrix(self.inner.fit_transform(x))


def with_self(indices):
    return np.column_stack([np.arange(len(indices)), indices])


def transformer(name, k, threads):
    if name.startswith("knng"):
        import knng

        return knng.KNNGTransformer(k, recall=float(name.split()[1]), n_jobs=threads)
    if name == "pynndescent":
        from pynndescent import PyNNDescentTransformer

        return Matrix(PyNNDescentTransformer(n_neighbors=k, n_jobs=threads, random_state=0))
    if name == "pipnn":
        from pipnn import self_knn_graph

        return Given(k, lambda x, k: with_self(self_knn_graph(x, k, n_jobs=threads, random_state=1)[0]))
    if name == "pyglass":
        import glass

        def find(x, k):
            glass.set_num_threads(threads)
            searcher = glass.Searcher(glass.Index("HNSW", "L2", R=32, L=50).build(x), x, "L2", "SQ8U", "FP32")
            searcher.optimize(threads)
            searcher.set_ef(64)
            return with_self(searcher.batch_search(x, k + 1, threads)[0].reshape(len(x), k + 1))

        return Given(k, find)
    raise SystemExit(f"no backend {name!r}, want one of {BACKENDS}")


def recall(x, found, k, sample, seed=2):
    """The share of the k nearest, without the row itself, that rows of a sample have; ties count."""
    rows = np.random.default_rng(seed).choice(len(x), min(sample, len(x)), replace=False)
    norms, hits = np.einsum("ij,ij->i", x, x, dtype=np.float64), 0
    for row in rows:
        squares = norms + norms[row] - 2 * (x @ x[row]).astype(np.float64)
        squares[row] = np.inf
        bound = np.partition(squares, k - 1)[k - 1] * (1 + 1e-5) + 1e-6
        mine = found.indices[found.indptr[row]:found.indptr[row + 1]]
        hits += min(k, int((squares[mine[mine != row]] <= bound).sum()))
    return hits / (k * len(rows))


def exact(scanpy, adata, k):
    """A call with exact neighbors."""
    from sklearn.neighbors import KNeighborsTransformer

    scanpy.pp.neighbors(adata, n_neighbors=k, use_rep="X_pca", transformer=KNeighborsTransformer(n_neighbors=k, algorithm="brute"))


def one(o):
    """One backend, in this process: a line of JSON."""
    warnings.simplefilter("ignore")
    import anndata
    import scanpy

    scanpy.settings.n_jobs = o.threads
    x = np.load(o.file) if o.file else made(o.rows, o.dim)
    adata = anndata.AnnData(np.zeros((len(x), 1), np.float32))
    adata.obsm["X_pca"] = x
    exact(scanpy, adata[:1000].copy(), o.k)
    seconds = []
    for _ in range(o.repeats):
        began = time.perf_counter()
        scanpy.pp.neighbors(adata, n_neighbors=o.k, use_rep="X_pca", transformer=transformer(o.one, o.k, o.threads))
        seconds.append(time.perf_counter() - began)
    print(json.dumps({"backend": o.one, "first": seconds[0], "again": min(seconds[1:], default=seconds[0]),
                      "recall": recall(x, adata.obsp["distances"].tocsr(), o.k - 1, o.sample)}))


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--rows", type=int, default=200_000)
    p.add_argument("--dim", type=int, default=50)
    p.add_argument("--file", help="rows of your own, .npy, in place of made ones")
    p.add_argument("-k", type=int, default=15, help="n_neighbors")
    p.add_argument("--threads", type=int, default=2)
    p.add_argument("--repeats", type=int, default=2)
    p.add_argument("--sample", type=int, default=500)
    p.add_argument("--only", help="backends by comma: " + ", ".join(BACKENDS))
    p.add_argument("--one", help=argparse.SUPPRESS)
    o = p.parse_args()
    if o.one:
        return one(o)
    print(f"{'backend':12} {'first s':>8} {'again s':>8} {'recall':>7}")
    for name in o.only.split(",") if o.only else BACKENDS:
        run = subprocess.run([sys.executable, __file__, *sys.argv[1:], "--one", name], stdout=subprocess.PIPE, text=True)
        if run.returncode:
            print(f"{name:12} failed", flush=True)
            continue
        r = json.loads(run.stdout.splitlines()[-1])
        print(f"{name:12} {r['first']:8.1f} {r['again']:8.1f} {r['recall']:7.4f}", flush=True)


if __name__ == "__main__":
    main()
