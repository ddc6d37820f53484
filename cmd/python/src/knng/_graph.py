"""Graph: a finished graph, its lists as memory maps."""

from __future__ import annotations

import hashlib
import numbers
import os
import shutil
import typing
from pathlib import Path
from typing import Any

import numpy as np

from . import _command, _convert, _errors, _temporary

if typing.TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from ._build import Path as AnyPath


class Recall(float):
    """A recall, with its 95 % interval ``low`` to ``high`` and the rows of its ``sample`` (0: all rows)."""

    def __new__(cls, found):
        self = super().__new__(cls, found["recall"])
        self.low, self.high, self.sample = found["low"], found["high"], found["sample"]
        return self

    def __repr__(self):
        return f"Recall({float(self):.4f}, low={self.low:.4f}, high={self.high:.4f}, sample={self.sample})"

    __str__ = __repr__

    def __reduce__(self):
        return Recall, ({"recall": float(self), "low": self.low, "high": self.high, "sample": self.sample},)


MASK = "a mask of booleans, want the numbers of rows, such as graph.rows[mask]"


def whole(rows):
    """Numbers of rows, which 1.5 and True are not."""
    rows = np.asarray(rows)
    if rows.ndim > 1:
        raise _errors.InputTypeError(f"rows of the shape {rows.shape}, want a number or a list of them, or ids as str")
    if rows.dtype == bool and rows.size > 1:
        raise _errors.InputTypeError(f"rows are {MASK}")
    if rows.size and not np.issubdtype(rows.dtype, np.integer):
        raise _errors.InputTypeError(f"rows of the type {rows.dtype}, want whole numbers, or ids as str")
    return rows.astype(np.int64)


def count(number, name):
    """A number of neighbors, which 1.5, True and None are not."""
    if isinstance(number, bool) or not isinstance(number, numbers.Integral):
        raise _errors.InputTypeError(f"{name} is {number!r}, want a whole number")
    return int(number)


def location(path):
    """A path as str, whether it came as that, as bytes or as a Path."""
    try:
        name = os.fsdecode(path)
    except TypeError:
        hint = f"; the number of neighbors is given by name, k={path!r}" if isinstance(path, numbers.Integral) else ""
        raise _errors.InputTypeError(f"the path is {path!r}, want str or os.PathLike{hint}") from None
    if not name:
        raise _errors.UsageError("the path is empty, want that of a directory; None is a temporary one")
    return name


def listed(rows):
    """Rows or ids in their order, of any sequence: a filtered Series is indexed by its labels. Bytes are ids in UTF-8."""
    if not isinstance(rows, np.ndarray):
        rows = list(rows)
    return [_text(row) for row in rows] if any(isinstance(row, bytes) for row in rows) else rows


def _text(row):
    """An id, where it came as bytes."""
    try:
        return row.decode() if isinstance(row, bytes) else row
    except UnicodeError:
        raise _errors.InputError(f"the id {row!r} is not UTF-8") from None


def is_index(rows):
    """Whether these are the index of a pandas DataFrame, which names rows as build takes it."""
    return hasattr(rows, "get_indexer") and hasattr(rows, "to_flat_index")


class Graph(_convert.Conversions):
    """A finished graph on disk.

    ``indices`` and ``distances`` are (n, k) memory maps, nearest first, without the row itself. They
    are exported once to a folder beside the graph, PATH.python, which may be deleted at any time; where
    that cannot be written, to a temporary one. A pickle holds the path alone: the graph must still be
    there when it is loaded. A copy is the graph itself.

    Rows can be put and deleted afterwards (append, delete, compact). Where others write to it too, search, recall
    and neighbors of ids ask the graph as it is then; the arrays are those of one moment, that of the first that is read.

    >>> graph = knng.open("x.knng")
    >>> graph.indices[:3], graph.distances[:3]
    >>> graph.csr(), graph.to_umap(), graph.recall()
    >>> graph.append(more), graph.delete([17, 42])
    """

    def __init__(self, path, temporary=None, built=None):
        self.path = os.path.abspath(location(path))
        self._temporary = temporary
        self._built = built if built and "checksum" in built and not built.get("living") else None
        self._info = None
        self._maps = {}
        self._own_folder = None

    def __reduce__(self):
        """The path alone. A temporary graph is deleted with this object, whoever has a pickle of it."""
        return Graph, (self.path,)

    @property
    def _is_temporary(self):
        """Whether the graph is in a temporary folder, which goes with this object."""
        return self._temporary is not None and self.path.startswith(os.path.join(os.path.abspath(self._temporary.name), ""))

    def __copy__(self):
        return self  # it stands for what is on disk

    def __deepcopy__(self, memo):
        return self

    @property
    def info(self) -> dict:
        """What ``knng info`` says of it, a dict."""
        if self._info is None:
            info = _command.run(["info", "--", self.path])
            if not info.get("finished"):
                raise _errors.Resumable(f"{self.path} is unfinished: call build again as it was called")
            self._info = info
        return self._info

    @property
    def _known(self):
        """What its build printed, which spares asking; else info."""
        return self._built or self.info

    @property
    def _written(self):
        """Whether rows were put into it or deleted since it was built."""
        return bool(self._known.get("living"))

    @property
    def n(self) -> int:
        """How many rows it has."""
        return self._known["rows"]

    @property
    def k(self) -> int:
        """How many neighbors a list has."""
        known = self._known
        return max(0, min(known["k"], known["rows"] - 1))

    @property
    def dim(self) -> int:
        """How many elements a row has."""
        return self._known["dim"]

    @property
    def metric(self) -> str:
        """The distance, by its name."""
        return self._known["metric"]

    @property
    def found_recall(self) -> Recall:
        """The recall that the build estimated, with its interval; of a graph that was written to, that of the lists now where it is known."""
        known = self._known
        if self._written:
            now = known["recall_now"]
            known = now if now and now["sample"] else known["recall_estimate"]
            if not known["recall"]:
                known = {**known, "recall": float("nan"), "low": float("nan"), "high": float("nan")}
        return Recall(known)

    def __len__(self) -> int:
        return self.n

    def __repr__(self) -> str:
        return f"knng.Graph({self.path!r}: {self.n} rows of {self.dim}, k={self.k}, {self.metric})"

    @property
    def indices(self) -> np.ndarray:
        """(n, k) rows, nearest first; -1 where a row has no list."""
        return self._map("indices")

    @property
    def distances(self) -> np.ndarray:
        """(n, k) float32, in order; inf where a row has no list."""
        return self._map("distances")

    @property
    def rows(self) -> np.ndarray:
        """(n,) the number of every row. It is its place in ``indices`` until rows are gone: numbers stay then, and places have no gaps."""
        if "rows" not in self._maps:
            self._maps["rows"] = np.load(self._exported("npy", "lists") / "rows.npy", mmap_mode="r") if self._written else np.arange(self.n)
        return self._maps["rows"]

    @property
    def ids(self) -> np.ndarray | None:
        """The rows' external ids as an array of str, None where there are none. Where only some have one, the others have their numbers."""
        if "ids" not in self._maps:
            self._maps["ids"] = self._read_ids()
        return self._maps["ids"]

    def _read_ids(self):
        if not self._written and not self.info["ids"]:
            return None
        file = self._exported("ids", "ids.txt")
        with open(file, encoding="utf-8", newline="\n") as lines:
            ids = np.array([line[:-1] for line in lines], dtype=object)
        return ids if len(ids) == self.n else None

    def _map(self, name):
        if name not in self._maps:
            self._maps[name] = np.load(self._exported("npy", "lists") / f"{name}.npy", mmap_mode="r")
        return self._maps[name]

    def _exported(self, form, name):
        """What the command exported in a format, now or earlier."""
        target = self._folder() / name
        if target.exists():
            return target
        target.parent.mkdir(exist_ok=True)  # gone where another process wrote to the graph
        try:
            told = _command.run(["export", "--format", form, "-o", str(target), "--", self.path])
        except _errors.Error:
            if not target.exists():  # else another process was first
                raise
            return target
        if told.get("ops") != self.info.get("ops"):  # somebody wrote meanwhile: all again, of one moment
            shutil.rmtree(target.parent, ignore_errors=True)
            self._forget()
            return self._exported(form, name)
        if form == "ids" and not told.get("ids", True):
            target.write_bytes(b"")  # rows have their numbers alone
        return target

    def export(self, path: AnyPath, format: str | None = None, *, library: str | None = None, symmetric: str | None = None,
               force: bool = False) -> AnyPath:
        """Write the graph to a file of another tool, as ``knng export`` does; returns the path.

        format: npz, parquet, csv, graphml, gexf, metis, edgelist, ...; by default the path's extension.
        library: the one to write for, which sets the rest: "gephi", "networkx", "metis", "sklearn", ...
        symmetric: "union" (a pair where either lists the other) or "mutual" (where each does).
        force: replace what is at the path.
        """
        flags = {"format": format, "for": library, "symmetric": symmetric}
        given = [f"--{name}={value}" for name, value in flags.items() if value is not None]
        _command.run(["export", "-o", location(path), *given, *(["--force"] if force else []), "--", self.path])
        return path

    def _folder(self):
        """The folder of this graph's exports. Those of what was at the path before are deleted."""
        if self._own_folder is None:
            beside = Path(self.path + ".python")
            try:
                beside.mkdir(exist_ok=True)
                folder = beside / self._key()
                if not folder.is_dir():
                    for other in beside.iterdir():
                        shutil.rmtree(other, ignore_errors=True)
                    folder.mkdir(exist_ok=True)
                self._own_folder = folder
            except OSError:  # of a disk that cannot be written
                if self._temporary is None:
                    self._temporary = _temporary.Folder()
                self._own_folder = Path(self._temporary.name) / self._key()
                self._own_folder.mkdir(exist_ok=True)
        return self._own_folder

    def _key(self):
        """Names the graph and its ids: a store that took the path later has another."""
        info = self.info
        if info.get("living"):
            current = os.stat(os.path.join(self.path, "living", "CURRENT"))  # which differs in two graphs of the same rows
            text = f"{info['checksum']} after {info['ops']} {current.st_ino} {current.st_mtime_ns}"
        else:
            text = f"{info['checksum']} {info['created']} {info['options'].get('ids')}"
        return hashlib.sha256(text.encode()).hexdigest()[:16]

    def recall(self, sample: int = 1000, seed: int = 1) -> Recall:
        """Recall measured now, on a sample of rows whose exact lists are computed; with its interval."""
        return Recall(_command.run(["recall", "--sample", str(sample), "--seed", str(seed), "--", self.path]))

    def neighbors(self, rows: Any, k: int | None = None) -> tuple[np.ndarray, np.ndarray]:
        """Neighbors and distances of rows or of ids, nearest first.

        A number or an array of them gives rows: arrays of the shape (k,) or (len(rows), k). An id, a
        str, or several give ids, and so does the index of a DataFrame, of a graph that has ids. Ids are asked of the command, a process for each 500 of a call.

        >>> graph.neighbors(17, k=3)                 # (array([ 4, 90, 31]), array([0.2, 0.4, 0.5], dtype=float32))
        >>> graph.neighbors(["cat.jpg", "dog.jpg"])  # arrays of two rows, of ids
        """
        k = self.k if k is None else count(k, "k")
        if not 1 <= k <= self.k:
            raise _errors.UsageError(f"k is {k}, the lists have {self.k} neighbors")
        one = isinstance(rows, (str, bytes)) or np.ndim(rows) == 0
        many = listed([rows]) if one else self._names_or_rows(rows)
        if len(many) and isinstance(many[0], str):
            found = self._by_id(many, k)
        else:
            found = self._by_row(whole(many), k)
        return tuple(f[0] for f in found) if one else found

    def _names_or_rows(self, rows):
        """Rows or ids; the index of a DataFrame has ids where the graph has any."""
        if is_index(rows) and self.ids is not None:
            return [str(name) for name in rows]
        return listed(rows)

    def _by_row(self, rows, k):
        places = rows
        if self._written:
            places = np.searchsorted(self.rows, rows)
            places[self.rows[np.minimum(places, self.n - 1)] != rows] = -1
        bad = rows[(places < 0) | (places >= self.n)]
        if len(bad):
            raise _errors.NoRow(f"there is no row {bad[0]}, or it was deleted" if self._written else f"row {bad[0]}, the graph has {self.n}")
        found = np.asarray(self.indices[places, :k])
        if self._written:
            found = np.asarray(self.rows)[found]
        return found, np.asarray(self.distances[places, :k])

    def _by_id(self, ids, k, at_once=500):
        others = [i for i in ids if not isinstance(i, str)]
        if others:
            raise _errors.InputTypeError(f"{others[0]!r} among ids, want all ids as str, or all rows as numbers")
        names, distances = np.full((len(ids), k), None, dtype=object), np.full((len(ids), k), np.inf, dtype=np.float32)
        for at in range(0, len(ids), at_once):
            some = ids[at:at + at_once]
            found = _command.run(["neighbors", "--id", "-k", str(k), "--", self.path, *some])
            for i, one in enumerate(found["lists"], at):
                for j, neighbor in enumerate(one["neighbors"]):
                    names[i, j], distances[i, j] = neighbor.get("id", str(neighbor["row"])), neighbor["distance"]
        return names, distances

    def search(self, queries: Any, k: int = 10, *, recall: float | None = None, effort: int | None = None, exact: bool = False,
               within: float | None = None, only: Any = None, column: str | None = None, id_column: str | None = None,
               header: bool | None = None, memory: str | int | None = None) -> tuple[np.ndarray, np.ndarray]:
        """The rows nearest to vectors that need not be in the graph: (indices, distances), (len(queries), k).

        recall: find the effort that reaches it; BelowTarget where none does, whose ``hits`` are what there is.
        effort: how many of the best so far a search looks around. exact: compare with every row.
        within: only rows at most so far away; -1 and inf fill up.
        only: the id or the ids that may be found, or rows where they have no ids; a Path is a file with one a line.
        column: where queries is a file, a table or AnnData that has several, the one of vectors. id_column: one of ids, which is left out.
        header: whether a file of text begins with a line of names. memory: for rows and links, such as "2GiB", or bytes; by default half of
        the machine's. Where they do not fit, rows are read from the disk.

        A call starts a process that opens the graph: give many queries at once.

        >>> rows, distances = graph.search(queries, k=10, recall=0.99)
        """
        from ._search import search

        return search(self, queries, k, only, column, id_column, header, {"recall": recall, "effort": effort, "exact": exact, "within": within, "memory": memory})

    def append(self, data: Any, ids: Iterable | AnyPath | None = None, *, column: str | None = None, id_column: str | None = None,
               header: bool | None = None, compact: bool = False, threads: int | None = None, memory: str | int | None = None,
               progress: bool | Callable[[dict], object] = False) -> dict:
        """Put rows into the graph, which is durable when this returns; searches and lists have them at once.

        data: rows as build takes them. ids: their names; a row replaces the one that has its name, and one that is there with
        the same values is passed over, so that after an interruption the same call goes on. Without ids all are put, or none, up to
        262,144 rows and 256 MiB; of more, those that were put before an interruption stay. The same call after an interruption puts none twice.
        Numbers of rows are given once and go on from the greatest so far. Returns how many were put, and how many there are.
        header: whether a file of text begins with a line of names.
        compact: build the graph anew at the end where so many were written that this pays.

        >>> graph.append(more)
        {'dir': ..., 'put': 200, 'replaced': 0, 'same': 0, 'rows': 3200}
        """
        return self._wrote("append", data, ids, column, id_column, {"header": header, "compact": compact or None, "threads": threads, "memory": memory}, progress)

    def delete(self, rows: Any, *, compact: bool = False, threads: int | None = None, memory: str | int | None = None,
               progress: bool | Callable[[dict], object] = False) -> dict:
        """Delete rows, by number (``rows``), or by id as str: all that are named, or none.

        They are in no list and in no result from then on. Other rows keep their numbers.

        >>> graph.delete([17, 42]), graph.delete("cat.jpg")
        """
        return self._wrote("delete", rows, {"compact": compact or None, "threads": threads, "memory": memory}, progress)

    def compact(self, recall: float | None = None, *, threads: int | None = None, memory: str | int | None = None,
                progress: bool | Callable[[dict], object] = False) -> dict:
        """Build the graph anew of the rows that live; deleted ones leave the disk. The same call goes on after an interruption.

        recall: that of the new graph, by default that of the old one.
        """
        return self._wrote("compact", recall, threads, memory, progress)

    def backup(self, path: AnyPath) -> Graph:
        """Copy the graph as it is at one moment, also while others write to it; returns the copy.

        The path must not be there yet. In one file system the files that are never written to again are linked.

        >>> copy = graph.backup("/mnt/other/x.knng")
        """
        from . import _write

        return _write.backup(self, path)

    def _wrote(self, how, *args):
        from . import _write

        try:
            return getattr(_write, how)(self, *args)
        finally:  # also after an error, as some of it may be done
            self._forget()

    def _forget(self):
        """Drop what was known of the rows: there are others now."""
        self._info = self._built = self._own_folder = None
        self._maps = {}
