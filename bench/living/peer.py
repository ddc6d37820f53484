"""python -c THIS PEER ROWS QUERIES LAST K INDEX: makes or reads an HNSW index of M = 16 and
efConstruction = 200, then answers lines "EF THREADS" with the recall and the seconds of all
queries, as JSON."""
import json
import os
import sys
import time

peer, rows_path, queries_path, last_path, k, index_path = sys.argv[1:]
k = int(k)


def say(**what):
    print(json.dumps(what), flush=True)


def main():
    import numpy as np

    rows, queries = np.load(rows_path, mmap_mode="r"), np.load(queries_path)
    last = np.load(last_path)[:, 0]
    threads_most = os.cpu_count()
    time_path = index_path + ".seconds"
    fresh = not os.path.exists(time_path)
    begun, processor = time.time(), time.process_time()
    x, q = np.asarray(rows, dtype=np.float32), np.asarray(queries, dtype=np.float32)
    if peer == "hnswlib":
        import hnswlib

        index = hnswlib.Index(space="l2", dim=x.shape[1])
        if fresh:
            index.init_index(max_elements=len(x), M=16, ef_construction=200, random_seed=1)
            index.add_items(x, num_threads=threads_most)
            index.save_index(index_path)
        else:
            index.load_index(index_path)

        def search(ef, threads):
            index.set_ef(ef)
            return index.knn_query(q, k=k, num_threads=threads)[0]
    elif peer.startswith("usearch"):
        from usearch.index import Index

        dtype = "f32"
        if peer == "usearch-i8":  # differences of bytes stay as they are
            x, q, dtype = (x - 128).astype(np.int8), (q - 128).astype(np.int8), "i8"
        index = Index(ndim=x.shape[1], metric="l2sq", dtype=dtype, connectivity=16, expansion_add=200)
        if fresh:
            index.add(np.arange(len(x)), x, threads=threads_most)
            index.save(index_path)
        else:
            index.load(index_path)

        def search(ef, threads):
            index.expansion_search = ef
            return index.search(q, k, threads=threads).keys
    elif peer.startswith("faiss"):
        import faiss

        if fresh:
            if peer == "faiss-u8":
                index = faiss.IndexHNSWSQ(x.shape[1], faiss.ScalarQuantizer.QT_8bit_direct, 16)
                index.train(x[:1000])
            else:
                index = faiss.IndexHNSWFlat(x.shape[1], 16)
            index.hnsw.efConstruction = 200
            faiss.omp_set_num_threads(threads_most)
            index.add(x)
            faiss.write_index(index, index_path)
        else:
            index = faiss.read_index(index_path)

        def search(ef, threads):
            index.hnsw.efSearch = ef
            faiss.omp_set_num_threads(threads)
            return index.search(q, k)[1]
    else:
        raise ValueError("no peer is called " + peer)
    if fresh:
        with open(time_path, "w") as f:
            json.dump({"made": time.time() - begun, "processor": time.process_time() - processor}, f)
    with open(time_path) as f:
        say(**json.load(f))
    for line in sys.stdin:
        ef, threads = map(int, line.split())
        begun = time.time()
        found = search(ef, threads)
        seconds = time.time() - begun
        away = np.asarray(rows[np.asarray(found, dtype=np.int64)], dtype=np.float64) - np.asarray(queries, dtype=np.float64)[:, None]
        near = np.sqrt((away**2).sum(2)).astype(np.float32) <= last[:, None]
        say(recall=float(near.sum(1).clip(max=k).mean() / k), seconds=seconds)


try:
    main()
except Exception as e:  # told to the other side
    say(error=type(e).__name__ + ": " + str(e))
