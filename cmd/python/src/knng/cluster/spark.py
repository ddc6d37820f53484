"""Vectors out of a DataFrame of Spark, and a graph back into one. Rows go from executors to files, and not through the driver.

    paths, ids = spark.write_rows(frame, "features", "/shared/rows", id_column="name")
    result = cluster.build(paths, "/shared/run", "spark://HOST:7077", ["-k", "10", "--ids", ids])
    ...                                        # knng unite RUN -o graph.knng; knng export graph.knng -o /shared/graph.parquet
    graph = spark.read_graph(session, "/shared/graph.parquet")
"""

import os
import re
import uuid

from .. import _errors


def write_rows(frame, column, folder, id_column=None):
    """Write a column of vectors into a folder that all machines see: one .npy a partition, in order. Empty partitions have none.

    Returns the paths, and the file of ids for --ids, None without id_column. Row i of the graph is row i of these
    files: a frame whose rows come in another order each time (after a shuffle) wants an id_column.
    """
    folder = os.path.abspath(os.fspath(folder))
    os.makedirs(folder, exist_ok=True)
    frame = frame.select(column, *([id_column] if id_column is not None else []))
    write = lambda batches: _write(batches, folder, id_column is not None)  # noqa: E731
    try:
        parts = sorted(frame.mapInArrow(write, "part int, rows long").collect())
    except Exception as error:  # Spark's own, whose text has that of an executor's
        refused = re.search(r"^(?:[\w.]*\.)?InputError: (.*)", str(error), re.MULTILINE)
        if refused is None:
            raise
        raise _errors.InputError(refused[1]) from error
    if not parts:
        raise _errors.InputError("the frame has no rows")
    return [f"{_part(folder, p.part)}.npy" for p in parts], _join(folder, parts) if id_column is not None else None


def read_graph(session, path):
    """The graph that ``knng export -o PATH.parquet`` wrote, as a DataFrame: row, id where the graph has ids, and neighbors (ids, distances)."""
    return session.read.parquet(os.fspath(path))


def _part(folder, number):
    return os.path.join(folder, f"part-{number:05d}")


def _write(batches, folder, with_ids):
    """Write the rows of a partition aside and rename: on an executor, which may die, or do it twice."""
    import pyarrow
    from pyspark import TaskContext

    number, attempt = TaskContext.get().partitionId(), uuid.uuid4().hex
    name = _part(folder, number)
    rows = _rows_to(f"{name}.npy.{attempt}.tmp", f"{name}.ids.{attempt}.tmp" if with_ids else None, batches)
    if rows == 0:
        return
    for kind in ("npy", "ids")[: 1 + with_ids]:
        os.replace(f"{name}.{kind}.{attempt}.tmp", f"{name}.{kind}")
    yield pyarrow.RecordBatch.from_pydict({"part": pyarrow.array([number], pyarrow.int32()), "rows": pyarrow.array([rows], pyarrow.int64())})


def _rows_to(path, ids_path, batches):
    """Write batches of vectors, and of ids, and count them."""
    import numpy as np

    head, rows, shape = 128, 0, None
    with open(path, "wb") as file, open(ids_path or os.devnull, "w", encoding="utf-8", newline="\n") as ids:
        file.seek(head)
        for batch in batches:
            if batch.num_rows == 0:
                continue
            data = _matrix(batch.column(0), rows)
            if shape not in (None, (data.shape[1], data.dtype)):
                raise _errors.InputError(f"vectors from row {rows} of a partition on are of {data.shape[1]} {data.dtype}, those before of {shape[0]} {shape[1]}")
            shape = data.shape[1], data.dtype
            file.write(np.ascontiguousarray(data))
            if ids_path:
                ids.writelines(f"{_line(i)}\n" for i in batch.column(1).to_pylist())
            rows += len(data)
        if rows:
            text = repr({"descr": shape[1].str, "fortran_order": False, "shape": (rows, shape[0])}).encode()
            file.seek(0)
            file.write(b"\x93NUMPY\x01\x00" + (head - 10).to_bytes(2, "little") + text.ljust(head - 11) + b"\n")
    if not rows:
        for p in filter(None, (path, ids_path)):
            os.remove(p)
    return rows


def _matrix(lists, first):
    """A column of lists of one length as a matrix."""
    import numpy as np

    lengths = np.asarray(lists.value_lengths())
    if lists.null_count or len(set(lengths.tolist())) != 1:
        raise _errors.InputError(f"the vectors from row {first} of a partition on have {sorted(set(lengths[lengths == lengths].tolist()))} elements, want one number, and no nulls")
    values = lists.flatten()
    if values.null_count:
        raise _errors.InputError(f"the vectors from row {first} of a partition on have {values.null_count} nulls")
    return values.to_numpy(zero_copy_only=False).reshape(len(lists), -1)


def _line(text):
    text = str(text)
    if re.search(r"[\r\n]", text):
        raise _errors.InputError(f"the id {text!r} has more than one line")
    return text


def _join(folder, parts):
    """The ids of all parts in one file."""
    path = os.path.join(folder, "ids.txt")
    with open(path + ".tmp", "wb") as out:
        for p in parts:
            with open(_part(folder, p.part) + ".ids", "rb") as file:
                while data := file.read(1 << 20):
                    out.write(data)
    os.replace(path + ".tmp", path)
    return path
