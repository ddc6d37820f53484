"""k-nearest-neighbor graphs on disk: exact or approximate, larger than memory, resumable, measured.

    import knng
    graph = knng.build(x, "x.knng", k=15)   # call it again after an interruption
    graph.indices, graph.distances          # (n, k) memory maps, nearest first

    knng.open("x.knng").to_umap()           # to_scanpy, to_sklearn, to_opentsne, to_igraph, csr
    sc.pp.neighbors(adata, transformer=knng.KNNGTransformer(15))

The work is done by the command knng, which comes with the wheel: ``python -m knng help``.
"""

from . import _errors
from ._build import build, open
from ._errors import (BelowTarget, CommandNotFound, Error, InputError, InputTypeError, Locked, MissingLibrary, NoInput, NoRow, NotFound, OutputExists,
                      Resumable, UnknownOption, UsageError)
from ._graph import Graph, Recall
from ._version import __version__

__all__ = ["BelowTarget", "CommandNotFound", "Error", "Graph", "InputError", "InputTypeError", "KNNGTransformer", "Locked", "MissingLibrary", "NoInput", "NoRow", "NotFound",
           "OutputExists", "Recall", "Resumable", "UnknownOption", "UsageError", "__version__", "build", "open"]


def __getattr__(name):
    """KNNGTransformer is made when it is asked for: it takes scikit-learn, which nothing else here does."""
    if name == "KNNGTransformer":
        _errors.library("sklearn.base", "scikit-learn", name)
        from ._transformer import KNNGTransformer

        return KNNGTransformer
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__():
    return __all__
