"""build and open."""

from __future__ import annotations

import contextlib
import io
import os
import tempfile
import warnings
from collections.abc import Callable, Iterable
from typing import Any, Union

from . import _command, _errors, _progress, _rows, _sparse, _temporary
from ._graph import Graph

Path = Union[str, "os.PathLike[str]"]

def build(data: Any, path: Path | None = None, k: int = 15, metric: str = "euclidean", recall: float = 0.95, method: str | None = None,
          ids: Iterable | Path | None = None, seed: int | None = None, threads: int | None = None, memory: str | int | None = None,
          progress: bool | Callable[[dict], object] = True, column: str | None = None, id_column: str | None = None,
          sparse: bool | None = None, **options: Any) -> Graph:
    """Build the graph of the k nearest neighbors of every row, or go on with it.

    data: a two-dimensional array, the path of a file (or several, or a pattern such as "part-*.parquet"), a pandas or polars DataFrame,
        AnnData, a pyarrow Table or column of lists, a SciPy sparse matrix.
    path: directory of the graph. The same call goes on with a build that was stopped, whatever stopped
        it, and opens one that is finished. None: a temporary one, which goes with the Graph.
    ids: names of the rows, or the path of a file with one a line. By default a DataFrame's index that is
        not 0, 1, 2, ..., and AnnData's obs_names.
    column, id_column: of tables, HDF5 and AnnData: where the vectors are and where the ids are. Of AnnData
        as scanpy chooses: obsm["X_pca"] where there are more than 50 variables and it is there, else X.
    memory: a limit, such as "2GiB", or bytes.
    progress: True for a bar, False for none, or a function that is called with every event, a dict.
    metric: "euclidean", "sqeuclidean", "cosine", "ip", "l1" ("manhattan", "cityblock"), "chebyshev",
        "correlation", or with bits=True, of rows of numpy.packbits, "hamming" and "jaccard".
    sparse: True builds a SciPy sparse matrix as it is, exactly, under cosine or ip: append does not take
        such a graph, and its searches are exact. False gives the command dense rows. By default a matrix of more than 4096 columns
        goes as it is, under these metrics, where at most one value in 50 is not zero.
    options: the command's other flags, such as duplicates="collapse", copies=1 (``knng help build``).

    Rows go to the command through a pipe; a .npy file, or an array that maps one (numpy.load with
    mmap_mode), is opened by the command itself. float32, float64, float16, uint8 and int8 go as they
    are; bool as uint8, 16-bit integers and bfloat16 as float32, other integers as float64.

    >>> graph = knng.build(x, "x.knng", k=15)                            # the same line goes on, or opens it
    >>> graph = knng.build("data/part-*.parquet", "p.knng", id_column="url", memory="4GiB")
    >>> graph = knng.build(adata, k=14, metric="cosine", bad_rows="drop")    # cells by obsm["X_pca"], named by obs_names

    Raises Error, or what is special of it: UsageError, Resumable, BelowTarget, Locked. Ctrl-C stops the
    command cleanly before KeyboardInterrupt is raised.
    """
    if _sparse.suits(data, metric, sparse):
        with _sparse.file(data) as file:
            return build(file, path, k, metric, recall, method, ids, seed, threads, memory, progress, column, id_column, **options)
    rows = _rows.rows_of(data, column, id_column)
    ids = rows.ids if ids is None else ids
    temporary = _temporary.Folder() if path is None else None
    path = os.fspath(path) if path is not None else os.path.join(temporary.name, "graph.knng")
    options = {"k": k, "metric": metric, "recall": recall, "method": method, "seed": seed, "threads": threads, "memory": memory, **options}
    shower = _progress.shower(progress)
    try:
        with lines_file(ids, "ids", rows.n) as file:
            args = ["build", "-o", path, *flags({**options, **rows.flags, "ids": file}), "--", *rows.inputs]
            with _said_of(file, "ids", ids):
                result = _command.run(args, feed=rows.feed(), progress=shower)
    except _errors.BelowTarget as error:
        error.graph = Graph(path, temporary, getattr(error, "result", None))
        raise
    except _errors.Error as error:
        raise _errors.of_inputs(error, rows.inputs) from None
    finally:
        if hasattr(shower, "close"):
            shower.close()
    graph = Graph(path, temporary, result)
    if graph.k < k:
        warnings.warn(f"{graph.n} rows have lists of {graph.k} neighbors, k={k} was asked for", stacklevel=2)
    return graph


def open(path: Path) -> Graph:
    """The finished graph in a directory.

    >>> graph = knng.open("x.knng")
    >>> rows, distances = graph.neighbors(17, k=5)
    """
    graph = Graph(os.fspath(path))
    graph.info  # which says what is wrong with it
    return graph


@contextlib.contextmanager
def _said_of(file, kind, given):
    """Errors name what was given in place of the file that it was written to."""
    try:
        yield
    except _errors.Error as error:
        if file is not None and not isinstance(given, (str, os.PathLike)):
            error.args = (str(error).replace(file, kind), *error.args[1:])
        raise


def flags(options):
    """Options as flags of the command; None leaves one out."""
    found = []
    for name, value in options.items():
        if value is None:
            continue
        if isinstance(value, bool):
            value = str(value).lower()
        found.append(f"-k={value}" if name == "k" else f"--{name.replace('_', '-')}={value}")
    return found


@contextlib.contextmanager
def lines_file(names, kind, n=None):
    """The path of a file of names, a line for each, written where they are not in one."""
    if names is None or isinstance(names, (str, os.PathLike)):
        yield None if names is None else os.fspath(names)
        return
    with tempfile.TemporaryDirectory(prefix="knng-names-") as folder:
        path = os.path.join(folder, kind)
        found = 0
        with io.open(path, "w", encoding="utf-8", newline="\n") as file:
            for found, name in enumerate(names, 1):
                file.write(_line(str(name), found - 1))
        if n is not None and found != n:
            raise ValueError(f"{found} {kind} for {n} rows")
        yield path


def _line(name, row):
    if "\n" in name or "\r" in name:
        raise ValueError(f"the id {name!r} of row {row} has a line break, which an id cannot have")
    return name + "\n"
