"""Rows nearest to new vectors, by the command's search."""

import contextlib
import numbers
import os
import tempfile
import warnings

import numpy as np

from . import _build, _command, _errors, _rows, _sparse
from ._graph import MASK as _MASK


def search(graph, queries, k, only, column, id_column, header, options):
    """(indices, distances) of the queries' nearest rows; -1 and inf where there are fewer."""
    if not _command.has("search", _command.find()):
        raise _errors.Error("this command has no search: take a newer knng")
    k = _build.count(k, "k")
    only = [only] if isinstance(only, (str, numbers.Integral)) else only
    if not isinstance(only, (str, os.PathLike)) and getattr(only, "dtype", None) == bool:
        raise _errors.InputTypeError(f"only is {_MASK}")
    queries = queries if not _one(queries) else np.asarray(queries)[None]
    if isinstance(queries, np.ndarray) and queries.shape == (0, graph.dim):
        return np.empty((0, k), np.int64), np.empty((0, k), np.float32)
    options = {name: value for name, value in {"k": k, **options}.items() if value is not False}
    with contextlib.ExitStack() as stack:
        folder = stack.enter_context(tempfile.TemporaryDirectory(prefix="knng-search-"))
        allowed = stack.enter_context(_build.lines_file(only, "only"))
        if _sparse.takes(graph, queries):
            if column or id_column:
                raise _errors.InputTypeError("column and id_column belong to files and tables: the rows of this graph are sparse")
            rows = _rows.Rows(paths=[stack.enter_context(_sparse.file(queries))])
        else:
            rows = _rows.rows_of(queries, column, id_column)
            if rows.dim is not None and rows.dim != graph.dim:
                raise _errors.InputError(f"queries of {rows.dim} elements, the graph's rows have {graph.dim}")
        hits = os.path.join(folder, "hits.npz")
        flags = _build.flags({**options, **rows.flags, "header": header, "filter_ids": allowed, "output": hits})
        try:
            with _build.said_of(allowed, "only", only):
                done = _command.run(["search", *flags, "--", graph.path, *rows.inputs], feed=rows.feed())
        except _errors.BelowTarget as error:
            error.graph, error.hits = graph, _read(hits)
            raise
        except _errors.InputError as error:
            raise _errors.of_rows(error, rows.files) from None
        except _errors.Error as error:
            raise _errors.of_inputs(error, rows.inputs) from None
        if "estimated_recall" in done:
            warnings.warn(f"searches for rows of the graph find about {done['estimated_recall']:.2f} of their neighbors: recall=0.95 finds the effort for more", stacklevel=3)
        return _read(hits)


def _one(queries):
    """Whether it is one vector and not several."""
    if isinstance(queries, (list, tuple)):
        return len(queries) > 0 and isinstance(queries[0], numbers.Real)
    return getattr(queries, "ndim", 2) == 1 and getattr(queries, "dtype", object) != object


def _read(path):
    if not os.path.exists(path):
        return None
    with np.load(path) as found:
        return found["rows"], found["distances"]
