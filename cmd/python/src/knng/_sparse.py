"""SciPy sparse matrices as files of CSR rows, which the command builds without zeros."""

import contextlib
import os
import sys
import tempfile

from . import _errors

_METRICS = ("cosine", "ip")
_COLUMNS = 4096  # up to which rows go as dense ones by default: append takes those
_DENSITY = 0.02


def suits(data, metric, sparse=None):
    """Whether the rows are built as sparse ones."""
    scipy = sys.modules.get("scipy.sparse")
    if scipy is None or not scipy.issparse(data):
        if sparse:
            raise _errors.InputTypeError(f"sparse=True is for SciPy sparse matrices, not {type(data).__name__}")
        return False
    if sparse is not None:
        return sparse
    n, columns = data.shape
    return metric in _METRICS and columns > _COLUMNS and data.nnz <= _DENSITY * n * columns


def takes(graph, queries):
    """Whether queries of a graph go to the command as sparse rows: all but files, where its own are sparse."""
    return str(graph._known.get("type")).startswith("sparse") and not isinstance(queries, (str, os.PathLike))


@contextlib.contextmanager
def file(data):
    """The matrix, or an array made one, as a file for the command."""
    sparse = _errors.library("scipy.sparse", "scipy", "a sparse matrix")
    data = data if sparse.issparse(data) else sparse.csr_matrix(data)
    with tempfile.TemporaryDirectory(prefix="knng-sparse-") as folder:
        path = os.path.join(folder, "rows.npz")
        sparse.save_npz(path, data.tocsr(), compressed=False)
        try:
            yield path
        except _errors.Error as error:  # which name it, and it will be gone
            error.args = (str(error).replace(f" of {path}", "").replace(path, "the sparse matrix"), *error.args[1:])
            raise
