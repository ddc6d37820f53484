"""Where rows come from: each kind of data as a path for the command, or as a stream of batches."""

import glob
import os
import sys
from dataclasses import dataclass, field

import numpy as np

from . import _errors, _tables, _wire


@dataclass
class Rows:
    """Rows for the command: paths that it opens itself, or a stream for its stdin; and their ids."""

    paths: list = field(default_factory=list)
    n: int = None
    dim: int = None
    dtype: object = None
    slices: object = None  # slices(step) yields arrays of up to step rows
    ids: object = None
    flags: dict = field(default_factory=dict)  # of the command, for paths
    files: list = field(default_factory=list)  # path and number of rows of each file that slices reads

    @property
    def inputs(self):
        return self.paths or ["-"]

    def feed(self):
        """The buffers for stdin, or None where there are paths."""
        if self.paths:
            return None
        return _wire.stream(self.n, self.dim, self.dtype, self.slices)


def rows_of(data, column=None, id_column=None):
    """Rows of whatever holds vectors."""
    if isinstance(data, (str, os.PathLike)):
        return _of_path(os.fspath(data), column, id_column)
    if isinstance(data, (list, tuple)) and data and all(isinstance(d, (str, os.PathLike)) for d in data):
        return _of_paths([os.fspath(d) for d in data], column, id_column)
    for is_kind, make in _KINDS:
        if is_kind(data):
            return _some(make(data, column, id_column), data)
    if column or id_column:
        raise _errors.InputTypeError(f"column and id_column belong to tables and AnnData, not to {type(data).__name__}")
    return _of_array(data)


def _some(rows, data):
    """The rows, of which there must be one with an element."""
    if rows.n == 0 or rows.dim == 0:
        raise _errors.InputError(f"a {type(data).__name__} of the shape {rows.n, rows.dim}, want rows and elements")
    return rows


def counted(n, of):
    return f"{n} {of}" + "s" * (n != 1)


def _of_array(data):
    given = data
    if not isinstance(data, np.ndarray):
        data = _array(data)
    if data.ndim == 0:
        raise _errors.InputTypeError(f"rows of the type {type(given).__name__}, want a 2-D array, a path, a table, AnnData or a sparse matrix")
    if data.ndim != 2:
        raise _errors.InputError(f"an array of {counted(data.ndim, 'dimension')}, want 2: a row for every vector (reshape(-1, 1) makes rows of one value)")
    if np.ma.is_masked(data):
        raise _errors.InputError(f"row {int(np.argwhere(np.ma.getmaskarray(data))[0, 0])} has a masked element: fill it, or leave the row out")
    if data.size == 0:
        raise _errors.InputError(f"an array of the shape {data.shape}, want rows and elements")
    path = _wire.mapped_file(data)
    if path:
        return Rows(paths=[path], n=len(data), dim=data.shape[1], dtype=data.dtype)
    _wire.wire_type(data.dtype)
    return Rows(n=len(data), dim=data.shape[1], dtype=data.dtype, slices=_parts(data))


def _array(rows):
    """Rows of any kind as an array."""
    try:
        array = np.asarray(rows)
    except ValueError as error:  # NumPy's own does not name the row
        if hasattr(rows, "__array__") and not isinstance(rows, (list, tuple)):
            raise  # the error of the object
        raise _errors.InputError(_odd_row([_length(row) for row in rows]) or str(error)) from None
    if array.dtype == object and isinstance(rows, (list, tuple)):  # as NumPy before 1.24 makes of ragged rows
        odd = _odd_row([_length(row) for row in rows])
        if odd:
            raise _errors.InputError(odd)
    return array


def _odd_row(lengths):
    """The first row that is not like the others, in words; None where all are alike."""
    if len(set(lengths)) < 2:
        return None
    if None in lengths:
        return f"row {lengths.index(None)} is no vector"
    odd = next(i for i, length in enumerate(lengths) if length != lengths[0])
    return f"row {odd} has {lengths[odd]} elements, row 0 has {lengths[0]}"


def _length(row):
    """The number of elements of a row, None of what is none."""
    try:
        return len(row)
    except TypeError:
        return None


def _parts(data):
    def slices(step):
        for at in range(0, len(data), step):
            yield data[at:at + step]

    return slices


_FEW = 50  # variables, up to which scanpy takes X as it is


def _is(module, *names):
    """Recognises objects of a library without importing it."""

    def check(data):
        loaded = sys.modules.get(module)
        return loaded is not None and any(isinstance(data, getattr(loaded, n)) for n in names if hasattr(loaded, n))

    return check


def _is_sparse(data):
    sparse = sys.modules.get("scipy.sparse")
    return sparse is not None and sparse.issparse(data)


def _of_sparse(data, column=None, id_column=None):
    """Sparse rows go as dense ones, a batch at a time, never all in memory."""
    csr = data.tocsr()

    def slices(step):
        for at in range(0, csr.shape[0], step):
            yield csr[at:at + step].toarray()

    return Rows(n=csr.shape[0], dim=csr.shape[1], dtype=csr.dtype, slices=slices)


def _of_anndata(data, column, id_column):
    """obsm[column], "X", "raw/X", "layers/" and a key of layers, or as scanpy chooses. Ids are obs_names, or obs[id_column]."""
    x = _anndata_matrix(data, column)
    if hasattr(x, "to_memory"):  # a dataset of a backed file
        x = x.to_memory()
    rows = _of_array(x) if not _is_sparse(x) else _of_sparse(x)
    rows.ids = data.obs_names if id_column is None else _anndata_ids(data, id_column)
    return rows


def _anndata_matrix(data, column):
    """The matrix by its name, which in a file has the same."""
    if column is None:
        column = "X_pca" if "X_pca" in data.obsm and data.n_vars > _FEW else "X"
    if column == "X" and data.X is not None:
        return data.X
    if column == "raw/X" and data.raw is not None:
        return data.raw.X
    layer = column.removeprefix("layers/")
    if layer != column and layer in data.layers:
        return data.layers[layer]
    key = column.removeprefix("obsm/")
    if key not in data.obsm:
        layers = [f"layers/{name}" for name in data.layers if name is not None]  # None is X
        raise _errors.NotFound(f"no {column!r}, there are {['X'] * (data.X is not None) + [*data.obsm, *layers]}")
    return data.obsm[key]


def _anndata_ids(data, id_column):
    """A column of obs, or its index by name."""
    key = id_column.removeprefix("obs/")
    if key in ("_index", data.obs.index.name) and key not in data.obs:
        return data.obs_names
    if key not in data.obs:
        raise _errors.NotFound(f"no column {id_column!r} in obs, which has {list(data.obs)}")
    return data.obs[key]


_HDF5 = (".h5", ".hdf5", ".h5ad")


def _of_path(path, column, id_column):
    """Files of HDF5, Arrow and Parquet are read here, all others by the command."""
    if glob.has_magic(path) and not os.path.lexists(path):
        found = sorted(glob.glob(path))
        if not found:
            raise _errors.NoInput(f"{path}: no file matches this pattern")
        return _of_paths(found, column, id_column)
    ending = os.path.splitext(path)[1].lower()
    if ending in _HDF5 + _tables.ENDINGS and not os.path.exists(path):
        raise _errors.NoInput(f"{path}: no such file")
    if ending in _HDF5:
        return _of_hdf5(path, column, id_column)
    if ending in _tables.ENDINGS:
        return _tables.of_files([path], column, id_column, Rows)
    return Rows(paths=[path], flags={"column": column, "id_column": id_column})


def _of_paths(paths, column, id_column):
    """Several files in their order: tables are read here, all others by the command."""
    if len(paths) == 1:
        return _of_path(paths[0], column, id_column)
    endings = {os.path.splitext(p)[1].lower() for p in paths}
    if endings <= set(_tables.ENDINGS):
        return _tables.of_files(paths, column, id_column, Rows)
    for path in paths:
        if os.path.splitext(path)[1].lower() in _tables.ENDINGS + _HDF5:
            raise _errors.InputTypeError(f"{path} among files of other kinds ({sorted(endings)}): want tables alone, one file of HDF5, or files that the command reads")
    return Rows(paths=paths, flags={"column": column, "id_column": id_column})


def _of_hdf5(path, column, id_column):
    h5py = _errors.library("h5py", "h5py", f"{path}: HDF5")
    with h5py.File(path) as file:
        name = column or _dataset_of(file, path)
        if name not in file and f"obsm/{name}" in file:  # as of AnnData
            name = f"obsm/{name}"
        if name not in file:
            raise _errors.NotFound(f"{path}: no dataset {name!r}, it has {_datasets(file)}")
        if isinstance(file[name], h5py.Group):  # AnnData's sparse X
            return _of_h5_sparse(path, name, id_column, file)
        n, dim = _matrix(file[name], path, name)
        dtype, ids = file[name].dtype, _h5_ids(file, id_column, path)

    def slices(step):
        with h5py.File(path) as file:
            rows = file[name]
            for at in range(0, n, step):
                yield rows[at:at + step]

    return Rows(n=n, dim=dim, dtype=dtype, slices=slices, ids=ids, files=[(path, n)])


def _of_h5_sparse(path, name, id_column, file):
    if file[name].attrs.get("encoding-type") not in ("csr_matrix", "csc_matrix"):
        raise _errors.InputError(f"{path}: {name!r} is a group; it has {list(file[name])}: name a dataset by column=")
    anndata = _errors.library("anndata", "anndata", f"{path}: the sparse matrix {name!r}")
    data = anndata.read_h5ad(path)
    return _of_anndata(data, name, id_column)


def _matrix(rows, path, name):
    if len(rows.shape) != 2:
        raise _errors.InputError(f"{path}: {name!r} has the shape {rows.shape}, want two dimensions")
    if 0 in rows.shape:
        raise _errors.InputError(f"{path}: {name!r} has the shape {rows.shape}, want rows and elements")
    return rows.shape


def _dataset_of(file, path):
    """What scanpy would choose of AnnData, train of ann-benchmarks, or the only matrix."""
    if "obsm/X_pca" in file and "var" in file and _variables(file) > _FEW:
        return "obsm/X_pca"
    for name in ("X", "train", "emb"):
        if name in file:
            return name
    matrices = [n for n in _datasets(file) if len(file[n].shape) == 2]
    if len(matrices) != 1:
        raise _errors.InputError(f"{path} has the matrices {matrices}: name one by column=")
    return matrices[0]


def _variables(file):
    names = file["var"][file["var"].attrs["_index"]]
    return len(names["values"] if "values" in getattr(names, "keys", list)() else names)


def _datasets(file):
    names = []
    file.visititems(lambda name, it: names.append(name) if hasattr(it, "shape") else None)
    return names


def _h5_ids(file, id_column, path):
    """The dataset of ids, or AnnData's obs_names."""
    if id_column is None:
        obs = file.get("obs")
        if obs is None or not hasattr(obs, "keys") or "_index" not in obs.attrs:
            return None
        id_column = "obs/" + obs.attrs["_index"]
    if id_column not in file and f"obs/{id_column}" in file:  # as of AnnData
        id_column = f"obs/{id_column}"
    if id_column not in file:
        raise _errors.NotFound(f"{path}: no dataset {id_column!r}, it has {_datasets(file)}")
    return _h5_column(file[id_column], f"{path}: {id_column!r}")


def _h5_column(names, what):
    """A dataset of names, or one of AnnData's groups: strings that may be missing, or categories."""
    if not hasattr(names, "keys"):
        return names[:].tolist()
    if "values" in names:
        missing = names["mask"][:] if "mask" in names else np.zeros(len(names["values"]), bool)
        if missing.any():
            raise _errors.InputError(f"{what}: row {int(np.argmax(missing))} has no name")
        return names["values"][:].tolist()
    if "codes" in names and "categories" in names:
        codes, categories = names["codes"][:], _h5_column(names["categories"], what)
        if (codes < 0).any():
            raise _errors.InputError(f"{what}: row {int(np.argmax(codes < 0))} has no name")
        return [categories[code] for code in codes]
    raise _errors.InputError(f"{what} is a group with {list(names)}: want a dataset of names")


_KINDS = [
    (_is_sparse, _of_sparse),
    (_is("anndata", "AnnData"), _of_anndata),
    (_is("pandas", "DataFrame"), lambda *a: _tables.of_pandas(*a, Rows)),
    (_is("polars", "DataFrame"), lambda *a: _tables.of_arrow(a[0].to_arrow(), *a[1:], Rows)),
    (_is("pyarrow", "Table", "RecordBatch"), lambda *a: _tables.of_arrow(*a, Rows)),
    (_is("pyarrow", "Array", "ChunkedArray"), lambda *a: _tables.of_column(a[0], None, Rows)),
]
