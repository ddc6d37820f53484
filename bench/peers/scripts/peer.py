"""One peer builds the k nearest neighbors of all rows of a file.

    peer.py PEER DATA K THREADS PARAMETERS OUT [LIMIT]

PARAMETERS is JSON; only the first LIMIT rows are looked at, 0 being all. Prints one
line of JSON: seconds from rows in memory to lists in memory, seconds from the file
to the saved lists, CPU seconds, peak RSS. What is compiled at first use is compiled
on a small sample before the clock.
"""

import json
import os
import resource
import sys
import time

peer, data, k, threads, parameters, out = sys.argv[1:7]
k, threads, p = int(k), int(threads), json.loads(parameters)
limit = int(sys.argv[7]) if len(sys.argv) > 7 else 0
for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "NUMBA_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[name] = str(threads)

import brute

if peer == "openblas":
    brute.environment()

import numpy as np

import load


def pynndescent(x):
    from pynndescent import NNDescent

    q = {"n_neighbors": k + 1, **p}
    index = NNDescent(x, metric="euclidean", n_jobs=threads, random_state=1, **q)
    return index.neighbor_graph[0]


def faiss_nndescent(x):
    import faiss

    index = faiss.IndexNNDescentFlat(x.shape[1], k + 1)
    index.nndescent.S = p.get("S", 10)
    index.nndescent.R = p.get("R", 100)
    index.nndescent.L = k + 1 + p.get("L", 20)
    index.nndescent.iter = p.get("iter", 5)
    index.add(x)
    graph = faiss.vector_to_array(index.nndescent.final_graph)
    return graph.reshape(len(x), -1)


def search(index, x, batch=20000):
    return np.concatenate([index.search(x[i : i + batch], k + 1)[1] for i in range(0, len(x), batch)])


def faiss_hnsw(x):
    import faiss

    index = faiss.IndexHNSWFlat(x.shape[1], p.get("M", 16))
    index.hnsw.efConstruction = p.get("efConstruction", 40)
    index.add(x)
    index.hnsw.efSearch = p.get("efSearch", 32)
    return search(index, x)


def faiss_ivf(x):
    import faiss

    quantizer = faiss.IndexFlatL2(x.shape[1])
    if p.get("sq8"):
        index = faiss.IndexIVFScalarQuantizer(quantizer, x.shape[1], p["nlist"], faiss.ScalarQuantizer.QT_8bit)
    else:
        index = faiss.IndexIVFFlat(quantizer, x.shape[1], p["nlist"])
    index.train(x[:: max(1, len(x) // (40 * p["nlist"]))])
    index.add(x)
    index.nprobe = p["nprobe"]
    return search(index, x)


def faiss_flat(x):
    import faiss

    index = faiss.IndexFlatL2(x.shape[1])
    index.add(x)
    return search(index, x)


def hnswlib(x):
    import hnswlib

    index = hnswlib.Index(space="l2", dim=x.shape[1])
    index.init_index(max_elements=len(x), ef_construction=p.get("ef_construction", 100), M=p.get("M", 16))
    index.set_num_threads(threads)
    index.add_items(x)
    index.set_ef(max(k + 1, p.get("ef", 50)))
    return index.knn_query(x, k=k + 1)[0]


def batches(x, size):
    """Rows in order, as float32, and where they begin."""
    for i in range(0, len(x), size):
        yield i, np.ascontiguousarray(x[i : i + size], dtype=np.float32)


def search_mapped(x, size, find):
    """Lists of rows that are mapped, into a file."""
    lists = np.memmap(out + ".lists", "<i4", "w+", shape=(len(x), k + 1))
    for i, part in batches(x, size):
        lists[i : i + len(part)] = find(part)
    return lists


def hnswlib_batches(x):
    """hnswlib that holds its index and no more: rows are read by batches."""
    import hnswlib

    index = hnswlib.Index(space="l2", dim=x.shape[1])
    index.init_index(max_elements=len(x), ef_construction=p.get("ef_construction", 100), M=p.get("M", 16))
    index.set_num_threads(threads)
    for i, part in batches(x, 20000):
        index.add_items(part, np.arange(i, i + len(part)))
    index.set_ef(max(k + 1, p.get("ef", 50)))
    return search_mapped(x, 20000, lambda part: index.knn_query(part, k=k + 1)[0])


def faiss_ondisk(x):
    """Inverted lists on disk, as faiss's demo_ondisk_ivf.py makes them: parts are
    written one by one and merged; the search maps the whole."""
    import faiss
    from faiss.contrib.ondisk import merge_ondisk

    folder = os.path.dirname(out)
    dim = x.shape[1]

    def empty():
        quantizer = faiss.IndexFlatL2(dim)
        if p.get("sq8"):
            index = faiss.IndexIVFScalarQuantizer(quantizer, dim, p["nlist"], faiss.ScalarQuantizer.QT_8bit)
        else:
            index = faiss.IndexIVFFlat(quantizer, dim, p["nlist"])
        index.own_fields = True
        quantizer.this.disown()
        return index

    index = empty()
    index.train(np.ascontiguousarray(x[:: max(1, len(x) // (40 * p["nlist"]))], dtype=np.float32))
    trained = os.path.join(folder, "trained.index")
    faiss.write_index(index, trained)
    parts = []
    for i, part in batches(x, max(2000, 16 * 2**20 // (4 * dim))):
        piece = faiss.read_index(trained)
        piece.add_with_ids(part, np.arange(i, i + len(part)))
        parts.append(os.path.join(folder, "part%d.index" % len(parts)))
        faiss.write_index(piece, parts[-1])
        del piece
    merge_ondisk(index, parts, os.path.join(folder, "merged.ivfdata"))
    for name in parts:
        os.remove(name)
    index.nprobe = p["nprobe"]
    return search_mapped(x, 20000, lambda part: index.search(part, k + 1)[1])


def usearch(x):
    from usearch.index import Index

    index = Index(ndim=x.shape[1], metric="l2sq", dtype="f32", connectivity=p.get("M", 16), expansion_add=p.get("add", 64), expansion_search=p.get("search", 64))
    index.add(np.arange(len(x)), x, threads=threads)
    return index.search(x, k + 1, threads=threads).keys


def rinnd(x):
    from rinnd import RINND

    index = RINND(x, metric="euclidean", n_jobs=threads, random_state=1, graph_only=True, **{"n_neighbors": k, **p})
    return index.neighbor_graph[0]


def ann_search(x):
    import ann_search

    ann_search.set_num_threads(threads)
    index = ann_search.NNDescentIndex(**{"n_neighbors": k + 1, "diversify_prob": 0.0, "seed": 1, **p})
    return index.fit(x).extract_knn()[1]


def pipnn(x):
    from pipnn import self_knn_graph

    return self_knn_graph(x, k, n_jobs=threads, random_state=1, **p)[0]


def pyglass(x):
    import glass

    glass.set_num_threads(threads)
    graph = glass.Index("HNSW", "L2", R=p.get("R", 32), L=p.get("L", 50)).build(x)
    searcher = glass.Searcher(graph, x, "L2", "SQ8U", "FP32")
    searcher.optimize(threads)
    searcher.set_ef(p.get("ef", 64))
    return searcher.batch_search(x, k + 1, threads)[0].reshape(len(x), k + 1)


def openblas(x):
    """Brute force; of p["sample"] rows, where given, to be scaled to all."""
    return brute.search(x, min(p.get("sample", len(x)), len(x)), k + 1, threads)


def peak_rss():
    """Of this program alone: getrusage begins with what its parent had."""
    with open("/proc/self/status") as f:
        for line in f:
            if line.startswith("VmHWM:"):
                return 1024 * int(line.split()[1])
    return 1024 * resource.getrusage(resource.RUSAGE_SELF).ru_maxrss


MAPPED = ("hnswlib-batches", "faiss-ondisk")  # these never hold all rows

build = globals()[peer.replace("-", "_")]
if peer.startswith("faiss"):
    import faiss

    faiss.omp_set_num_threads(threads)

if peer == "pynndescent":
    build(load.rows(data, limit)[:8192])  # compiles everything for just this kind of rows
if peer == "openblas":
    brute.compile(load.rows(data, limit)[:4096], k + 1)
began, cpu = time.perf_counter(), time.process_time()
x = load.mapped(data) if peer in MAPPED else load.rows(data, limit)
ready = time.perf_counter()
lists = build(x)
done = time.perf_counter()
load.save(out, lists)
end = time.perf_counter()
result = {
    "memory_seconds": done - ready,
    "file_seconds": end - began,
    "cpu_seconds": time.process_time() - cpu,
    "peak_rss_bytes": peak_rss(),
}
if peer == "openblas":
    result["blas"] = brute.blas()
    result["gflops"] = 2e-9 * x.shape[1] * len(lists) * len(x) / (done - ready)
    if len(lists) < len(x):
        times = len(x) / len(lists)
        result["sampled_rows"] = len(lists)
        for clock in ("memory_seconds", "file_seconds", "cpu_seconds"):
            result[clock] *= times
print(json.dumps(result))
