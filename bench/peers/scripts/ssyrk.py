"""What OpenBLAS makes of a leaf: all products of a set of rows with each other.

    ssyrk.py ROWS DIM THREADS

Prints one line of JSON: 2*DIM operations for each of ROWS*(ROWS+1)/2 pairs, in
GF/s, by the fastest of many calls, and what BLAS that was.
"""

import json
import os
import sys
import time

import brute

rows, dim, threads = (int(a) for a in sys.argv[1:])
brute.environment()
os.environ["OPENBLAS_NUM_THREADS"] = str(threads)

import numpy as np
from scipy.linalg.blas import ssyrk

x = np.asfortranarray(np.random.default_rng(1).random((dim, rows), dtype=np.float32))
c = np.zeros((rows, rows), dtype=np.float32, order="F")
best, end = float("inf"), time.perf_counter() + 1
while time.perf_counter() < end:
    began = time.perf_counter()
    ssyrk(1.0, x, trans=1, c=c, overwrite_c=1)
    best = min(best, time.perf_counter() - began)
print(json.dumps({"gflops": rows * (rows + 1) * dim / best / 1e9, "blas": brute.blas()}))
