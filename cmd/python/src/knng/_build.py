"""build and open."""

from __future__ import annotations

import contextlib
import io
import os
import re
import tempfile
import warnings
from collections.abc import Callable, Iterable
from typing import Any, Union

from . import _command, _errors, _progress, _rows, _sparse, _temporary
from ._graph import Graph, count, location

Path = Union[str, "os.PathLike[str]"]

# Flags that a call gives itself, or that other arguments are.
_NO_OPTIONS = {
    "n_neighbors": "but k, which does not count the row itself: k = n_neighbors - 1 is enough for UMAP and scanpy",
    "output": "but path, the directory of the graph",
    "json": "which every call gives",
    "help": 'which "python -m knng build --help" prints',
}


def build(data: Any, path: Path | None = None, k: int = 15, metric: str = "euclidean", recall: float = 0.95, method: str | None = None,
          ids: Iterable | Path | None = None, seed: int | None = None, threads: int | None = None, memory: str | int | None = None,
          progress: bool | Callable[[dict], object] = True, column: str | None = None, id_column: str | None = None,
          sparse: bool | None = None, **options: Any) -> Graph:
    """Build the graph of the k nearest neighbors of every row, or continue a build.

    Parameters
    ----------
    data : array, path, table or matrix
        The rows. A 2-D array; the path of a file, several paths, or a pattern such as "part-*.parquet"; a pandas
        or polars DataFrame; an AnnData; a pyarrow Table or column of lists; a SciPy sparse matrix. Files are .npy,
        .npz, .csv, .parquet, .arrow, .feather, .h5ad, .h5, .fvecs and more (``python -m knng build --help``).
    path : path, optional
        Directory of the graph. The same call continues a build that was stopped, whatever stopped it, and opens a
        finished graph. By default a temporary directory, which is deleted with the Graph.
    k : int
        Neighbors of a row, without the row itself. 15, as n_neighbors of UMAP and scanpy; the default of the command is 20, at which
        graphs are compared. In UMAP and scanpy n_neighbors counts the row:
        k = n_neighbors - 1 is enough for them, and more does no harm.
    metric : str
        "euclidean", "sqeuclidean", "cosine", "ip" (the negative inner product), "l1" ("manhattan", "cityblock"),
        "chebyshev" or "correlation"; with bits=True, for rows of numpy.packbits, "hamming" or "jaccard".
    recall : float
        Share of the true neighbors to find. The build stops when a sample of rows has reached it;
        ``Graph.found_recall`` is what it measured on others. A small or low-dimensional input is
        searched exactly, whatever is asked.
    method : str, optional
        "exact", "balls", "parts", "tree" or "paper"; by default the command chooses.
    ids : iterable of str, or path, optional
        Names of the rows, or a file with one a line; bytes are UTF-8. By default a DataFrame's index, unless that is
        0, 1, 2, ..., as after reset_index(drop=True), and AnnData's obs_names.
    seed : int, optional
        Seed of all random choices, 1 by default. The graph is a function of rows, options and seed:
        threads, memory and interruptions do not change it.
    threads : int, optional
        All processors by default.
    memory : str or int, optional
        Memory limit, such as "2GiB", or bytes; by default half of the machine's.
    progress : bool or function
        True shows a bar, False nothing. A function is called with every event, a dict.
    column, id_column : str, optional
        Where a table, an HDF5 file or an AnnData has the vectors and the ids. In AnnData, also as a file, a key of obsm,
        "layers/" and a key of layers, or "X"; by default as scanpy chooses: obsm["X_pca"] if that is there and X has more
        than 50 variables, else X. Its ids are a column of obs.
    sparse : bool, optional
        Of SciPy sparse matrices. True keeps the rows sparse: graph and searches are exact, under cosine or ip alone,
        and ``knng append`` does not take the graph. False gives the command dense rows. By default rows stay sparse
        under these metrics if there are more than 4096 columns and at most one value in 50 is not zero.
    **options
        Further flags of the command, such as duplicates="collapse", copies=1, or header=True for a file of text whose first
        line is names (``python -m knng build --help``): all but
        output, json and help.

    Returns
    -------
    Graph
        ``indices`` and ``distances`` are (n, k) memory maps; to_scanpy, to_umap, to_sklearn, to_opentsne,
        to_igraph and csr are what other libraries take.

    Raises
    ------
    InputError
        Rows with NaN or infinities, of other lengths, or too few ids: a ValueError. The message names the row, and the file.
    InputTypeError, UnknownOption
        Data of a kind that is not taken, or no such option: a TypeError.
    NotFound
        No such column: a KeyError.
    NoInput
        No such file: a FileNotFoundError.
    UsageError
        Wrong options, or others than those that the build in the directory began with: a ValueError.
    BelowTarget
        The recall was not reached; ``error.graph`` is the graph.
    Resumable
        No space, too little memory, or ended by a signal: the same call continues, where it has a path.
    Locked
        Another process builds in the directory.
    Error
        All other failures; those above are kinds of it. Ctrl-C stops the command cleanly before
        KeyboardInterrupt is raised.

    Notes
    -----
    Rows go to the command through a pipe. A .npy file, or an array that maps one (numpy.load with mmap_mode), is
    opened by the command itself. float32, float16, uint8 and int8 are kept as they are; bool becomes uint8, bfloat16
    and integers of 16 bits become float32. float64 and all other integers become float32, less an offset of each
    column where its values lie close together and far from zero.

    Examples
    --------
    >>> graph = knng.build(x, "x.knng", k=15)                            # the same line continues, or opens it
    >>> graph = knng.build("data/part-*.parquet", "p.knng", id_column="url", memory="4GiB")
    >>> graph = knng.build(adata, k=14, metric="cosine", bad_rows="drop")    # cells by obsm["X_pca"], named by obs_names
    >>> graph.to_scanpy(adata, n_neighbors=15)                           # then sc.tl.umap(adata), sc.tl.leiden(adata)
    """
    k = count(k, "k")
    for name in _NO_OPTIONS.keys() & options.keys():
        raise _errors.UnknownOption(f"build takes no {name} {_NO_OPTIONS[name]}")
    path = None if path is None else location(path)
    if _sparse.suits(data, metric, sparse):
        with _sparse.file(data) as file:
            return build(file, path, k, metric, recall, method, ids, seed, threads, memory, progress, column, id_column, **options)
    rows = _rows.rows_of(data, column, id_column)
    ids = rows.ids if ids is None else ids
    temporary = _temporary.Folder() if path is None else None
    path = path if path is not None else os.path.join(temporary.name, "graph.knng")
    options = {"k": k, "metric": metric, "recall": recall, "method": method, "seed": seed, "threads": threads, "memory": memory, **options}
    shower = _progress.shower(progress)
    try:
        with lines_file(ids, "ids", rows.n) as file:
            args = ["build", "-o", path, *flags({**options, **rows.flags, "ids": file}), "--", *rows.inputs]
            with said_of(file, "ids", ids):
                result = _command.run(args, feed=rows.feed(), progress=shower)
    except _errors.BelowTarget as error:
        error.graph = Graph(path, temporary, getattr(error, "result", None))
        raise
    except _errors.Resumable as error:
        if temporary is not None:
            raise _errors.begins_anew(error) from None
        raise
    except _errors.InputError as error:
        raise _errors.of_rows(error, rows.files) from None
    except _errors.Error as error:
        raise _errors.of_inputs(error, [*rows.inputs, *([ids] if isinstance(ids, (str, os.PathLike)) else [])]) from None
    finally:
        if hasattr(shower, "close"):
            shower.close()
    graph = Graph(path, temporary, result)
    if graph.k < k:
        warnings.warn(f"lists of {graph.k} neighbors where k={k} was asked for: the graph has {_rows.counted(graph.n, 'row')}", stacklevel=2)
    return graph


def open(path: Path) -> Graph:
    """The finished graph in a directory.

    >>> graph = knng.open("x.knng")
    >>> rows, distances = graph.neighbors(17, k=5)
    """
    path = location(path)
    if not os.path.exists(path):
        raise _errors.NoInput(f"{path}: no such directory")
    if not os.path.isdir(path):
        raise _errors.InputError(f"{path} is a file, not the directory of a graph, which knng.build makes")
    graph = Graph(path)
    graph.info  # which says what is wrong with it
    return graph


@contextlib.contextmanager
def said_of(file, kind, given):
    """Errors name what was given in place of the file that it was written to, and its items from 0 in place of lines from 1."""
    try:
        yield
    except _errors.Error as error:
        if file is not None and not isinstance(given, (str, os.PathLike)):
            error.args = (_items(str(error).replace(file, kind), kind), *error.args[1:])
        raise


def _items(text, kind):
    """The text of an error about lines, which tells of items: of several, of which each row has one, it names the rows."""
    text = re.sub(rf"\b(?:{kind}: )?{kind}: line (\d+)\b", lambda found: f"{kind}[{int(found[1]) - 1}]", text)
    return re.sub(rf"\b{kind}: lines (\d+) and (\d+) are", lambda found: f"{kind}: rows {int(found[1]) - 1} and {int(found[2]) - 1} are", text)


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
    if not isinstance(names, Iterable):
        raise _errors.InputTypeError(f"{kind} is {names!r}, want several of them, or the path of a file")
    with tempfile.TemporaryDirectory(prefix="knng-names-") as folder:
        path = os.path.join(folder, kind)
        found = 0
        with io.open(path, "w", encoding="utf-8", newline="\n") as file:
            for found, name in enumerate(names, 1):
                if _missing(name):
                    raise _errors.InputError(f"{kind}[{found - 1}] is {name!r}, which is no name")
                file.write(_line(name, found - 1))
        if n is not None and found != n:
            raise _errors.InputError(f"{found} {kind} for {n} rows")
        yield path


def _missing(name):
    """Whether it stands for no name: None, NaN, or what pandas has for them."""
    return isinstance(name, float) and name != name or type(name).__name__ in ("NoneType", "NAType", "NaTType")


def _line(name, row):
    """The line of a name, which is UTF-8 where it comes as bytes."""
    try:
        text = name.decode() if isinstance(name, bytes) else str(name)
        text.encode()
    except UnicodeError:
        raise _errors.InputError(f"the id {name!r} of row {row} is not UTF-8") from None
    if "\n" in text or "\r" in text:
        raise _errors.InputError(f"the id {text!r} of row {row} has a line break, which an id cannot have")
    return text + "\n"
