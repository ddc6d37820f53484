"""Libraries that are not installed: the error names the package to install, in one line."""

import builtins
import importlib
import sys

import numpy as np
import pytest

import knng
from knng import _sparse


@pytest.fixture(scope="module")
def graph(tmp_path_factory):
    x = np.random.default_rng(3).standard_normal((60, 4), np.float32)
    return knng.build(x, tmp_path_factory.mktemp("missing") / "x.knng", k=3, progress=False)


@pytest.fixture
def without(monkeypatch):
    """without(library) has every import of it fail, as if it were not installed."""

    class Blocked:
        def __init__(self, library):
            self.library = library

        def find_spec(self, name, path=None, target=None):
            if name.split(".")[0] == self.library:
                raise ModuleNotFoundError(f"No module named {self.library!r}", name=self.library)

    def block(library):
        for name in [n for n in sys.modules if n.split(".")[0] == library]:
            monkeypatch.delitem(sys.modules, name)
        monkeypatch.setattr(sys, "meta_path", [Blocked(library), *sys.meta_path])

    return block


@pytest.mark.parametrize("library, package, call", [
    ("scipy", "scipy", lambda g: g.csr()),
    ("scipy", "scipy", lambda g: g.to_sklearn(symmetric="union")),
    ("scanpy", "scanpy", lambda g: g.to_scanpy(None)),
    ("openTSNE", "openTSNE", lambda g: g.to_opentsne()),
    ("igraph", "igraph", lambda g: g.to_igraph()),
    ("sklearn", "scikit-learn", lambda g: knng.KNNGTransformer),
    ("h5py", "h5py", lambda g: knng.build(file(g, "x.h5"), k=3)),
    ("pyarrow", "pyarrow", lambda g: knng.build(file(g, "x.parquet"), k=3)),
    ("scipy", "scipy", lambda g: _sparse.file(np.eye(4)).__enter__()),  # queries of a graph of sparse rows
])
def test_missing(graph, without, library, package, call):
    without(library)
    with pytest.raises(knng.MissingLibrary, match=rf" needs {package}: pip install {package}$") as caught:
        call(graph)
    assert isinstance(caught.value, ImportError) and isinstance(caught.value, knng.Error)
    assert "\n" not in str(caught.value)


def file(graph, name):
    path = f"{graph.path}.{name}"
    open(path, "wb").close()
    return path


def test_a_library_that_fails_to_import(graph, without, tmp_path, monkeypatch):
    """Its own error is told as well: pip install alone does not mend it."""
    without("igraph")
    (tmp_path / "igraph.py").write_text("import no_such_thing\n")
    monkeypatch.setattr(sys, "meta_path", sys.meta_path[1:])
    monkeypatch.syspath_prepend(str(tmp_path))
    importlib.invalidate_caches()
    with pytest.raises(knng.MissingLibrary, match=r"to_igraph\(\) needs igraph: pip install igraph \(No module named 'no_such_thing'\)"):
        graph.to_igraph()


def test_umap_needs_numpy_alone(graph, monkeypatch):
    """to_umap gives arrays, so that UMAP may run elsewhere."""
    real = builtins.__import__

    def no_others(name, *args, **kwargs):
        if name.split(".")[0] in ("scipy", "umap", "sklearn"):
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)
        return real(name, *args, **kwargs)

    monkeypatch.setattr(builtins, "__import__", no_others)
    indices, distances, none = graph.to_umap(4)
    assert indices.shape == distances.shape == (60, 4) and none is None
