"""Rows of tables: pandas, Arrow (polars gives it), Parquet."""

import numpy as np

from . import _errors

# A table's rows are one column of lists, or all its columns of numbers.


def of_pandas(frame, column, id_column, rows_type):
    """Ids are id_column, or the index where it is not 0, 1, 2, ..."""
    import pandas

    ids = None
    if id_column is not None:
        _has(frame, id_column)
        ids, frame = frame[id_column], frame.drop(columns=[id_column])
    elif not frame.index.equals(pandas.RangeIndex(len(frame))):
        ids = frame.index
    if column is None:
        lists = [name for i, (name, kind) in enumerate(frame.dtypes.items()) if _arrow_lists(kind) or kind == object and _holds_lists(frame.iloc[:, i])]
        column = lists[0] if len(lists) == 1 else None
    if column is not None:
        _has(frame, column)
        if not len(frame):
            raise _errors.InputError("no rows")
        if _arrow_lists(frame[column].dtype):
            return of_column(frame[column].array.__arrow_array__(), ids, rows_type)
        first = _vector(frame[column].iloc[0], 0)
        dim, dtype = len(first), first.dtype
        part = lambda at, to: np.stack([_vector(v, row, dim) for row, v in enumerate(frame[column].iloc[at:to], at)])  # noqa: E731
    else:
        other = [c for c, t in frame.dtypes.items() if not pandas.api.types.is_numeric_dtype(t)]
        if other:
            raise _errors.InputTypeError(f"columns {other} hold no numbers: drop them, name the ids by id_column= or the column of vectors by column=")
        gaps = [_gaps(frame.iloc[:, i]) for i in range(len(frame.columns))]
        dim, dtype = len(frame.columns), _common(np.dtype(np.float64) if gap else _numpy_type(t) for gap, t in zip(gaps, frame.dtypes))
        missing = {"na_value": np.nan} if any(gaps) else {}
        part = lambda at, to: frame.iloc[at:to].to_numpy(dtype=dtype, **missing)  # noqa: E731
    return rows_type(n=len(frame), dim=dim, dtype=dtype, slices=_by(part, len(frame)), ids=ids)


def _holds_lists(column):
    """Whether a column of objects is one of vectors, by the first that is there: text is an object too."""
    return isinstance(next((value for value in column if value is not None), None), (list, tuple, np.ndarray))


def _gaps(column):
    """Whether a column of integers or bools, as pandas holds them beside a mask, has missing values: NaN, as those of floats are."""
    return not isinstance(column.dtype, np.dtype) and column.dtype.kind in "iub" and bool(column.isna().any())


def _arrow_lists(dtype):
    """Whether pandas holds the column as Arrow's lists."""
    kind = getattr(dtype, "pyarrow_dtype", None)
    return kind is not None and _is_list(kind)


def _common(types):
    """The type that holds the numbers of all columns."""
    types = set(types)
    if not types:
        raise _errors.InputError("a table without columns of numbers")
    return np.result_type(*types)


def _has(frame, column):
    if isinstance(column, (list, dict, set)):
        raise _errors.InputTypeError(f"a column of the name {column!r}, want the name of one column")
    if column not in frame.columns:
        raise _errors.NotFound(f"no column {column!r}, there are {list(frame.columns)}")
    if not isinstance(frame.columns.get_loc(column), int):
        raise _errors.InputError(f"several columns are named {column!r}")


def _vector(value, row, dim=None):
    """The vector of a row, of so many elements."""
    vector = np.asarray(value)
    if vector.ndim != 1:
        raise _errors.InputError(f"row {row} has no vector but {value!r}"[:200])
    if dim is not None and len(vector) != dim:
        raise _errors.InputError(f"row {row} has {len(vector)} elements, row 0 has {dim}")
    return vector


def _numpy_type(dtype):
    return getattr(dtype, "numpy_dtype", getattr(dtype, "subtype", dtype))  # of sparse columns subtype


def _by(part, n):
    def slices(step):
        for at in range(0, n, step):
            yield part(at, min(n, at + step))

    return slices


def of_arrow(table, column, id_column, rows_type):
    """Rows of a Table or RecordBatch."""
    column = _vectors(table.schema, column, id_column)
    ids = table.column(id_column).to_pylist() if id_column is not None else None
    if column is not None:
        return of_column(table.column(column), ids, rows_type)
    names = [n for n in table.schema.names if n != id_column]
    dtype = _common(np.dtype(table.schema.field(n).type.to_pandas_dtype()) for n in names)
    part = lambda at, to: _beside(table, names, at, to, dtype)  # noqa: E731
    return rows_type(n=table.num_rows, dim=len(names), dtype=dtype, slices=_by(part, table.num_rows), ids=ids)


def _beside(table, names, at, to, dtype, before=0):
    """Columns of numbers as rows; before is how many rows stand before the table's in its file."""
    out = np.empty((to - at, len(names)), dtype)
    for i, name in enumerate(names):
        part = table.column(name).slice(at, to - at)
        if part.null_count:
            raise _errors.InputError(f"row {before + at + int(np.argmax(_numpy(part.is_null())))} has a null in column {name!r}")
        out[:, i] = _numpy(part)
    return out


def _numpy(column):
    return column.to_numpy() if hasattr(column, "chunks") else column.to_numpy(zero_copy_only=False)


def of_column(lists, ids, rows_type):
    """Rows of an Arrow column of lists, all of one length."""
    lists = _stored(lists)
    dim = _width(lists)
    dtype = np.dtype(lists.type.value_type.to_pandas_dtype())
    part = lambda at, to: _flat(lists.slice(at, to - at), dim, at)  # noqa: E731
    return rows_type(n=len(lists), dim=dim, dtype=dtype, slices=_by(part, len(lists)), ids=ids)


def _stored(lists):
    """A column without Arrow's extension of its type, such as that of tensors."""
    kind = getattr(lists.type, "storage_type", None)
    if kind is None or not _is_list(lists.type):
        return lists
    if not hasattr(lists, "chunks"):
        return lists.storage
    import pyarrow

    return pyarrow.chunked_array([chunk.storage for chunk in lists.chunks], kind)


def _width(lists):
    if not _is_list(lists.type):
        raise _errors.InputTypeError(f"a column of {lists.type}, want lists of numbers")
    size = getattr(lists.type, "list_size", -1)
    if size >= 0:
        return size
    if len(lists) == 0:
        raise _errors.InputError("no rows")
    if lists[0].as_py() is None:
        raise _errors.InputError("the first row has no vector")
    return len(lists[0])


def _flat(lists, dim, at):
    """Lists as rows, without a Python object for each."""
    lists = _stored(lists)
    chunks = lists.chunks if hasattr(lists, "chunks") else [lists]
    parts = []
    for chunk in chunks:
        values = chunk.flatten()
        offsets = getattr(chunk, "offsets", None)
        even = offsets is None or bool((np.diff(offsets.to_numpy()) == dim).all())
        if chunk.null_count or values.null_count or not even or len(values) != dim * len(chunk):
            raise _errors.InputError(_odd(chunk, dim, at))
        parts.append(values.to_numpy(zero_copy_only=False).reshape(len(chunk), dim))
        at += len(chunk)
    return parts[0] if len(parts) == 1 else np.concatenate(parts or [np.empty((0, dim))])


def _odd(chunk, dim, at):
    """What is wrong with the first list that is no vector of dim elements."""
    for row, value in enumerate(chunk.to_pylist(), at):
        if value is None:
            return f"row {row} is null"
        if len(value) != dim:
            return f"row {row} has {len(value)} elements, the first row has {dim}"
        if None in value:
            return f"row {row} has a null in element {value.index(None)}"
    return f"rows from {at} on are no vectors of {dim} elements"


def _is_list(kind):
    """Whether a type is of vectors: lists, or tensors of one dimension."""
    import pyarrow.types as types

    if len(getattr(kind, "shape", [0])) != 1:
        return False
    kind = getattr(kind, "storage_type", kind)
    return types.is_list(kind) or types.is_large_list(kind) or types.is_fixed_size_list(kind)


def _is_number(kind):
    import pyarrow.types as types

    return types.is_integer(kind) or types.is_floating(kind) or types.is_boolean(kind)


def _vectors(schema, column, id_column):
    """The column of lists to take, None where the columns of numbers are the rows."""
    if len(set(schema.names)) < len(schema.names):
        raise _errors.InputError(f"several columns are named {next(n for n in schema.names if schema.names.count(n) > 1)!r}")
    for name in filter(None, (column, id_column)):
        if name not in schema.names:
            raise _errors.NotFound(f"no column {name!r}, there are {schema.names}")
    if column is not None:
        return column
    lists = [f.name for f in schema if _is_list(f.type)]
    if len(lists) == 1:
        return lists[0]
    others = [f.name for f in schema if f.name != id_column and not _is_number(f.type)]
    if lists or others:
        raise _errors.InputTypeError(f"columns {lists or others} are not numbers: name the vectors by column= and the ids by id_column=")
    return None


ENDINGS = (".parquet", ".arrow", ".arrows", ".feather", ".ipc")


def of_files(paths, column, id_column, rows_type):
    """Rows of Parquet or Arrow files, batch by batch, never all in memory."""
    dataset = _errors.library("pyarrow.dataset", "pyarrow", f"{paths[0]}: an Arrow or Parquet file")
    files = [_Stream(p) if _is_stream(p) else _dataset(dataset, p) for p in paths]
    column = _vectors(files[0].schema, column, id_column)
    names = [column] if column is not None else [n for n in files[0].schema.names if n != id_column]
    for path, file in zip(paths, files):
        missing = [n for n in names + [id_column] if n is not None and n not in file.schema.names]
        if missing:
            raise _errors.NotFound(f"{path}: no columns {missing}, there are {file.schema.names}")
    ids = None if id_column is None else [i for f in files for b in f.to_batches(columns=[id_column]) for i in b.column(0).to_pylist()]
    first = of_arrow(_first(paths, files, names), column, None, rows_type)

    def slices(step):
        for path, file in zip(paths, files):
            yield from _slices(path, file, names, column, step, first)

    counts = [f.count_rows() for f in files]
    return rows_type(n=sum(counts), dim=first.dim, dtype=first.dtype, slices=slices, ids=ids, files=list(zip(paths, counts)))


def _slices(path, file, names, column, step, like):
    """The rows of a file; errors name it, and the row in it."""
    before = 0
    for batch in file.to_batches(columns=names):
        for at in range(0, batch.num_rows, step):
            some = batch.slice(at, step)
            try:
                if column is not None:
                    yield _flat(some.column(column), like.dim, before + at)
                else:
                    yield _beside(some, names, 0, some.num_rows, like.dtype, before + at)
            except _errors.InputError as error:
                raise _errors.InputError(f"{path}: {error}") from None
        before += batch.num_rows


def _first(paths, files, names):
    """The first row, which tells the length of all."""
    for file in files:
        for batch in file.to_batches(columns=names):
            if batch.num_rows:
                return batch.slice(0, 1)
    raise _errors.InputError(f"{paths[0]}: no rows")


def _dataset(dataset, path):
    return dataset.dataset(path, format="parquet" if path.lower().endswith(".parquet") else "feather")


def _is_stream(path):
    """Arrow's files begin and end with ARROW1; its streams, which Hugging Face's datasets keep, do not."""
    if path.lower().endswith(".parquet"):
        return False
    with open(path, "rb") as file:
        head = file.read(6)
    if head.startswith(b"FEA1"):
        raise _errors.InputError(f"{path}: Feather of version 1, want version 2: pyarrow.feather.write_feather writes it")
    return head != b"ARROW1"


class _Stream:
    """A file with an Arrow stream, read from its beginning each time."""

    def __init__(self, path):
        self.path = path
        with self._opened() as reader:
            self.schema = reader.schema

    def _opened(self):
        import pyarrow

        try:
            return pyarrow.ipc.open_stream(pyarrow.memory_map(self.path))
        except pyarrow.ArrowInvalid as error:
            raise _errors.InputError(f"{self.path}: no Arrow file and no Arrow stream: {error}") from None

    def to_batches(self, columns):
        with self._opened() as reader:
            for batch in reader:
                yield batch.select(columns)

    def count_rows(self):
        with self._opened() as reader:
            return sum(batch.num_rows for batch in reader)
