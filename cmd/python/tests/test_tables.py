import numpy as np
import pytest

import knng
from knng.cluster import spark
from oracle import nearest

quiet = {"progress": False}
N, DIM = 300, 6


@pytest.fixture(scope="module")
def x(rng):
    return rng.normal(size=(N, DIM)).astype(np.float32)


names = [f"n{i}" for i in range(N)]


def same(graph, x, ids=None):
    np.testing.assert_allclose(graph.distances, nearest(x, graph.k)[1], rtol=1e-5)
    assert (graph.ids is None) if ids is None else (graph.ids.tolist() == list(ids))


def test_pandas(x):
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame(x, columns=list("abcdef"))
    same(knng.build(frame, k=4, **quiet), x)
    same(knng.build(frame.set_index(pd.Index(names)), k=4, **quiet), x, names)
    same(knng.build(frame.assign(name=names), k=4, id_column="name", **quiet), x, names)
    same(knng.build(frame.astype({"a": "float64"}), k=4, **quiet), x)
    same(knng.build(pd.DataFrame({"name": names, "v": list(x)}), k=4, id_column="name", **quiet), x, names)
    with pytest.raises(TypeError, match="name"):
        knng.build(frame.assign(name=names), k=4, **quiet)
    for how in ({"column": "nope"}, {"id_column": "nope"}):
        with pytest.raises(KeyError, match="no column 'nope'"):
            knng.build(frame, k=4, **how, **quiet)
    same(knng.build(pd.DataFrame({"other": names, "v": list(x)}), k=4, **quiet), x)  # as of Arrow
    with pytest.raises(ValueError, match="several columns are named 'a'"):
        knng.build(pd.concat([frame, frame], axis=1), k=4, id_column="a", **quiet)
    with pytest.raises(ValueError, match="row 0 has no vector but None"):
        knng.build(pd.DataFrame({"v": [None, *x[1:]]}), k=4, **quiet)
    with pytest.raises(ValueError, match="row 2 has 5 elements, row 0 has 6"):
        knng.build(pd.DataFrame({"v": [*x[:2], x[2, :5], *x[3:]]}), k=4, **quiet)


def test_indexes_of_pandas(x):
    """An index names the rows by its values, whatever its type, unless it counts them."""
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame(x)
    for part in (frame, frame.set_index(np.arange(N)), frame.iloc[100:].reset_index(drop=True)):
        assert knng.build(part, k=4, **quiet).ids is None
    for part in (frame.iloc[100:], frame.iloc[::2], frame[::-1], frame.sample(frac=1, random_state=0)):
        same(knng.build(part, k=4, **quiet), part.to_numpy(), map(str, part.index))


def test_types_of_pandas(x):
    pd = pytest.importorskip("pandas")
    pa = pytest.importorskip("pyarrow")
    same(knng.build(pd.DataFrame(x).astype(pd.SparseDtype("float32", 0)), k=4, **quiet), x)
    lists = pd.Series(pa.array(x.tolist(), pa.list_(pa.float32())), dtype=pd.ArrowDtype(pa.list_(pa.float32())), index=names)
    same(knng.build(pd.DataFrame({"v": lists}), k=4, **quiet), x, names)


@pytest.mark.parametrize("kind", ["Int64", "Float64", "boolean"])
def test_missing_values_of_pandas(kind):
    """Integers and bools beside a mask have missing values as floats do: bad rows."""
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame({"a": pd.array([1, None, 0, 1], dtype=kind), "b": [1, 2, 3, 4]})
    with pytest.raises(knng.InputError, match="first row 1: it has a NaN"):
        knng.build(frame, k=1, progress=False)
    assert knng.build(frame, k=1, bad_rows="drop", progress=False).n == 3


def test_ids_of_bytes(x):
    """Names of bytes are UTF-8."""
    pa = pytest.importorskip("pyarrow")
    same(knng.build(x, k=4, ids=np.array(names, dtype="S"), **quiet), x, names)
    table = pa.table({"name": [f"{n}ø".encode() for n in names], "v": x.tolist()})
    same(knng.build(table, k=4, id_column="name", **quiet), x, [f"{n}ø" for n in names])
    for bad in (b"\xff", "\ud800"):
        with pytest.raises(knng.InputError, match="of row 1 is not UTF-8"):
            knng.build(x[:3], k=2, ids=["a", bad, "c"], **quiet)


def test_tables_without_rows_or_numbers(x):
    pd = pytest.importorskip("pandas")
    pl = pytest.importorskip("polars")
    frame = pd.DataFrame(x)
    for data, want in ((frame.iloc[:0], r"DataFrame of the shape \(0, 6\)"), (frame[[]], "without columns"), (pl.DataFrame(), "without columns"),
                       (pl.DataFrame({"v": []}, schema={"v": pl.List(pl.Float32)}), "^no rows")):
        with pytest.raises(knng.InputError, match=want):
            knng.build(data, **quiet)
    with pytest.raises(knng.InputTypeError, match="want the name of one column"):
        knng.build(frame, column=[0, 1], **quiet)


def test_polars(x):
    pl = pytest.importorskip("polars")
    same(knng.build(pl.DataFrame(x), k=4, **quiet), x)
    same(knng.build(pl.DataFrame({"name": names, "v": list(x)}), k=4, id_column="name", **quiet), x, names)
    fixed = pl.DataFrame({"v": list(x)}).with_columns(pl.col("v").cast(pl.Array(pl.Float32, DIM)))
    same(knng.build(fixed, k=4, **quiet), x)


def arrow_columns(x):
    pa = pytest.importorskip("pyarrow")
    fixed = pa.FixedSizeListArray.from_arrays(pa.array(x.reshape(-1)), DIM)
    lists = pa.array(x.astype(np.float64).tolist())
    return pa, fixed, lists


def test_arrow(x):
    pa, fixed, lists = arrow_columns(x)
    for column in (fixed, lists, lists.cast(pa.large_list(pa.float32())), lists[7:], fixed[7:]):
        part = x[N - len(column):]
        same(knng.build(column, k=4, **quiet), part)
        same(knng.build(pa.chunked_array([column[:50], column[50:]]), k=4, **quiet), part)
        table = pa.table({"name": names[:len(column)], "vector": column})
        same(knng.build(table, k=4, column="vector", id_column="name", **quiet), part, names[:len(column)])
        same(knng.build(table.to_batches()[0], k=4, **quiet), part)
    same(knng.build(pa.table({c: x[:, i] for i, c in enumerate("abcdef")}), k=4, **quiet), x)


def test_tensors_of_arrow(x, tmp_path):
    pa, fixed, _ = arrow_columns(x)
    parquet = pytest.importorskip("pyarrow.parquet")
    tensors = pa.ExtensionArray.from_storage(pa.fixed_shape_tensor(pa.float32(), [DIM]), fixed)
    table = pa.table({"name": names, "v": tensors})
    parquet.write_table(table, tmp_path / "t.parquet")
    for data in (tensors, pa.chunked_array([tensors[:50], tensors[50:]]), table, tmp_path / "t.parquet"):
        same(knng.build(data, k=4, **quiet), x)
    with pytest.raises(knng.InputTypeError, match="want lists of numbers"):
        knng.build(pa.ExtensionArray.from_storage(pa.fixed_shape_tensor(pa.float32(), [2, 3]), fixed), **quiet)


def test_arrow_that_is_no_matrix(x):
    pa, fixed, lists = arrow_columns(x)
    for column, want in ((pa.array([[1.0, 2.0], [1.0]]), "row 1 has 1 elements, the first row has 2"), (pa.array([[1.0, 2.0], None]), "row 1 is null"),
                         (pa.array([[1.0, 2.0], [None, 1.0]]), "row 1 has a null in element 0"), (pa.array(["a", "b"]), "want lists of numbers")):
        with pytest.raises((ValueError, TypeError), match=want):
            knng.build(column, k=1, **quiet)
    with pytest.raises(KeyError, match="nope"):
        knng.build(pa.table({"v": fixed}), column="nope", **quiet)
    with pytest.raises(TypeError, match="column="):
        knng.build(pa.table({"v": fixed, "w": fixed}), **quiet)
    with pytest.raises(ValueError, match="several columns are named 'v'"):
        knng.build(pa.Table.from_arrays([fixed, fixed], ["v", "v"]), **quiet)


def test_parquet(x, tmp_path):
    pa, fixed, lists = arrow_columns(x)
    parquet = pytest.importorskip("pyarrow.parquet")
    for i, column in enumerate((fixed, lists)):
        file = tmp_path / f"{i}.parquet"
        parquet.write_table(pa.table({"name": names, "vector": column, "other": names}), file, row_group_size=70)
        same(knng.build(file, k=4, column="vector", id_column="name", **quiet), x, names)
        same(knng.build(str(file), k=4, **quiet), x)


def arrow_files(table, folder):
    """One table as every kind of Arrow's files: Feather, a file, a stream, each of several batches."""
    pa = pytest.importorskip("pyarrow")
    feather = pytest.importorskip("pyarrow.feather")
    feather.write_feather(table, folder / "a.feather", chunksize=70)
    for name, write in (("b.arrow", pa.ipc.new_file), ("c.arrow", pa.ipc.new_stream), ("d.ipc", pa.ipc.new_file), ("e.arrows", pa.ipc.new_stream)):
        with pa.OSFile(str(folder / name), "wb") as out, write(out, table.schema) as writer:
            writer.write_table(table, max_chunksize=70)
    return sorted(folder.iterdir())


def test_arrow_files(x, tmp_path):
    pa, fixed, lists = arrow_columns(x)
    for i, column in enumerate((fixed, lists)):
        folder = tmp_path / str(i)
        folder.mkdir()
        for file in arrow_files(pa.table({"name": names, "vector": column}), folder):
            same(knng.build(file, k=4, column="vector", id_column="name", **quiet), x, names)
            same(knng.build(str(file), k=4, column="vector", **quiet), x)


def test_arrow_files_that_are_none(x, tmp_path):
    pa = pytest.importorskip("pyarrow")
    empty = pa.table({"v": pa.array([], pa.list_(pa.float32()))})
    for file in arrow_files(empty, tmp_path):
        with pytest.raises(ValueError, match=f"{file.name}.*no rows"):
            knng.build(file, **quiet)
    for name, data, want in (("x.arrow", b"abcdefgh" * 9, "no Arrow file"), ("x.feather", b"FEA1....", "version 1"), ("none.ipc", b"", "no Arrow file")):
        (tmp_path / name).write_bytes(data)
        with pytest.raises(ValueError, match=name + ".*" + want):
            knng.build(tmp_path / name, **quiet)


def test_several_tables(x, tmp_path):
    pa, fixed, lists = arrow_columns(x)
    parquet = pytest.importorskip("pyarrow.parquet")
    table = pa.table({"name": names, "vector": fixed})
    files = [tmp_path / f"part-{i}.parquet" for i in range(3)]
    for i, file in enumerate(files):
        parquet.write_table(table.slice(100 * i, 100), file)
    how = {"k": 4, "column": "vector", "id_column": "name", **quiet}
    same(knng.build(files, **how), x, names)
    same(knng.build(str(tmp_path / "part-*.parquet"), **how), x, names)
    spoiled = x.copy()
    spoiled[130, 2] = np.nan
    bad = pa.FixedSizeListArray.from_arrays(pa.array(spoiled.reshape(-1)), DIM)
    for i, column in ((4, bad), (5, pa.array([[0.0] * DIM, [1.0] * (DIM - 1)], pa.list_(pa.float32())))):
        parquet.write_table(pa.table({"name": names[:len(column)], "vector": column}), tmp_path / f"bad-{i}.parquet")
    with pytest.raises(ValueError, match=r"first row 130 of .*bad-4\.parquet \(row 430 of all\): it has a NaN"):
        knng.build([*files, tmp_path / "bad-4.parquet"], k=4, column="vector", **quiet)
    with pytest.raises(ValueError, match=r"bad-5\.parquet: row 1 has 5 elements, the first row has 6"):
        knng.build([*files, tmp_path / "bad-5.parquet"], k=4, column="vector", **quiet)
    other = tmp_path / "part-3.parquet"
    parquet.write_table(pa.table({"v": fixed}), other)
    with pytest.raises(KeyError, match="part-3"):
        knng.build([*files, other], **how)
    with pytest.raises(FileNotFoundError, match="none-"):
        knng.build(str(tmp_path / "none-*.parquet"), **how)
    np.save(tmp_path / "a.npy", x)
    with pytest.raises(TypeError, match="part-0"):
        knng.build([tmp_path / "a.npy", files[0]], **quiet)


def test_hdf5(x, tmp_path):
    h5py = pytest.importorskip("h5py")
    file = tmp_path / "a.hdf5"
    with h5py.File(file, "w") as f:
        f["train"], f["test"], f["names"] = x, x[:5], np.array(names, dtype="S")
    same(knng.build(file, k=4, **quiet), x)
    same(knng.build(file, k=4, column="train", id_column="names", **quiet), x, names)
    with pytest.raises(KeyError, match="nope"):
        knng.build(file, k=4, column="nope", **quiet)


def test_anndata(x, tmp_path):
    anndata = pytest.importorskip("anndata")
    sparse = pytest.importorskip("scipy.sparse")
    a = anndata.AnnData(np.abs(x) * (x > 0))
    a.obs_names = names
    file = tmp_path / "a.h5ad"
    a.write_h5ad(file)
    backed = anndata.read_h5ad(file, backed="r")
    for data in (a, file, backed):
        same(knng.build(data, k=4, **quiet), a.X, names)
    backed.file.close()
    a.X = sparse.csr_matrix(a.X)
    a.write_h5ad(file)
    for data in (a, file):
        same(knng.build(data, k=4, **quiet), a.X.toarray(), names)
    few = a.copy()
    few.obsm["X_pca"] = x
    same(knng.build(few, k=4, **quiet), a.X.toarray(), names)
    a = anndata.AnnData(sparse.csr_matrix(np.tile(a.X.toarray(), 9)), obs=a.obs, obsm={"X_pca": x})
    a.write_h5ad(file)
    for data in (a, file):
        same(knng.build(data, k=4, **quiet), x, names)
    same(knng.build(a, k=4, column="X", **quiet), a.X.toarray(), names)
    with pytest.raises(KeyError, match="X_scvi"):
        knng.build(a, column="X_scvi", **quiet)


def test_one_name_in_anndata_and_its_file(x, tmp_path):
    """column and id_column mean the same in an object and in its file, of dense and of sparse rows."""
    anndata = pytest.importorskip("anndata")
    pd = pytest.importorskip("pandas")
    sparse = pytest.importorskip("scipy.sparse")
    others = [f"m{i}" for i in range(N)]
    for form in (np.asarray, sparse.csr_matrix):
        a = anndata.AnnData(form(x * 0), obs=pd.DataFrame({"nm": others}, index=names), layers={"c": form(x)})
        file = tmp_path / f"{form.__name__}.h5ad"
        a.write_h5ad(file)
        for data in (a, file):
            same(knng.build(data, k=4, column="layers/c", **quiet), x, names)
            for id_column in ("nm", "obs/nm"):
                same(knng.build(data, k=4, column="layers/c", id_column=id_column, **quiet), x, others)
            for how in ({"column": "layers/d"}, {"column": "nope"}, {"id_column": "nope"}):
                with pytest.raises(knng.NotFound, match=next(iter(how.values()))):
                    knng.build(data, k=4, **how, **quiet)


def test_sparse(x):
    sparse = pytest.importorskip("scipy.sparse")
    for form in ("csr", "csc", "coo"):
        same(knng.build(sparse.coo_matrix(x * (x > 0)).asformat(form), k=4, **quiet), x * (x > 0))


def test_files_that_the_command_reads(x, tmp_path):
    np.savez(tmp_path / "a.npz", a=x, b=x[:5])
    same(knng.build(tmp_path / "a.npz", k=4, column="a", **quiet), x)
    with open(tmp_path / "a.csv", "w") as file:
        file.write("name,a,b,c,d,e,f\n" + "".join(f"{n},{','.join(map(repr, row))}\n" for n, row in zip(names, x.tolist())))
    same(knng.build(tmp_path / "a.csv", k=4, id_column="name", **quiet), x, names)


def test_columns_of_what_has_none(x):
    with pytest.raises(TypeError, match="ndarray"):
        knng.build(x, column="a", **quiet)


def test_vectors_that_spark_has_are_refused_as_others_are():
    """What an executor says comes through Spark's own error."""
    pa = pytest.importorskip("pyarrow")
    for column, want in (([[1.0, 2.0], [1.0]], "want one number"), ([[1.0, 2.0], None], "no nulls"), ([[1.0, None]], "1 nulls")):
        with pytest.raises(knng.InputError, match=want):
            spark._matrix(pa.array(column, pa.list_(pa.float32())), 0)
    with pytest.raises(knng.InputError, match="more than one line"):
        spark._line("a\nb")


@pytest.mark.parametrize("said, kind, want", [
    ("\n  An exception was thrown from the Python worker.\nTraceback (most recent call last):\n  File \"spark.py\", line 88, in _matrix\nknng._errors.InputError: 1 nulls\n", knng.InputError, "^1 nulls$"),
    ("no executor", RuntimeError, "^no executor$"),
    (None, knng.InputError, "no rows"),
])
def test_errors_of_frames(tmp_path, said, kind, want):
    class Frame:
        def select(self, *columns):
            return self

        def mapInArrow(self, write, schema):
            return self

        def collect(self):
            if said:
                raise RuntimeError(said)
            return []

    with pytest.raises(kind, match=want):
        spark.write_rows(Frame(), "features", tmp_path)


def test_names_that_are_numbers(x, tmp_path):
    """A line 0, 1, 2, ... may be names or a row: the caller says which."""
    pd = pytest.importorskip("pandas")
    pd.DataFrame(x).to_csv(tmp_path / "x.csv", index=False)
    pd.DataFrame(x).to_csv(tmp_path / "indexed.csv")
    with pytest.raises(knng.UsageError, match="names that pandas gives to columns, or a row"):
        knng.build(tmp_path / "x.csv", progress=False)
    graph = knng.build(tmp_path / "x.csv", header=True, progress=False)
    assert graph.n == len(x) and knng.build(tmp_path / "x.csv", header=False, progress=False).n == len(x) + 1
    assert graph.search(tmp_path / "x.csv", 1, header=True)[0].shape == (len(x), 1)
    assert graph.append(tmp_path / "x.csv", header=True)["rows"] == 2 * len(x)
    for column in (1, x.shape[1] // 2, x.shape[1]):  # of the columns that pandas numbered
        with pytest.raises(knng.UsageError, match="names that pandas gives to columns, or a row"):
            knng.build(tmp_path / "x.csv", id_column=column, progress=False)
    named = knng.build(tmp_path / "indexed.csv", id_column=1, progress=False)
    assert named.n == len(x) and named.dim == x.shape[1] and named.ids[:3].tolist() == ["0", "1", "2"]
