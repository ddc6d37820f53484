"""k-nearest-neighbor graphs on disk: exact or approximate, larger than memory, resumable, measured.

    import knng
    graph = knng.build(x, "x.knng", k=15)   # call it again after an interruption
    graph.indices, graph.distances          # (n, k) memory maps, nearest first

    knng.open("x.knng").to_umap()           # to_scanpy, to_sklearn, to_opentsne, to_igraph, csr
    sc.pp.neighbors(adata, transformer=knng.KNNGTransformer(15))

The work is done by the command knng, which comes with the wheel: ``python -m knng help``.
"""

import importlib
import typing

from . import _errors
from ._errors import (BelowTarget, CommandNotFound, Error, InputError, InputTypeError, Locked, MissingLibrary, NoInput, NoRow, NotFound, OutputExists,
                      Resumable, UnknownOption, UsageError)
from ._version import __version__

if typing.TYPE_CHECKING:
    from ._build import build, open
    from ._graph import Graph, Recall
    from ._transformer import KNNGTransformer

__all__ = ["BelowTarget", "CommandNotFound", "Error", "Graph", "InputError", "InputTypeError", "KNNGTransformer", "Locked", "MissingLibrary", "NoInput", "NoRow", "NotFound",
           "OutputExists", "Recall", "Resumable", "UnknownOption", "UsageError", "__version__", "build", "open"]

_WHERE = {"build": "._build", "open": "._build", "Graph": "._graph", "Recall": "._graph", "KNNGTransformer": "._transformer"}


if not typing.TYPE_CHECKING:  # to a type checker it would be any name at all
    def __getattr__(name):
        """Import a name when it is asked for. KNNGTransformer takes scikit-learn, the others NumPy, which the driver of a cluster does without."""
        if name not in _WHERE:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        if name == "KNNGTransformer":
            _errors.library("sklearn.base", "scikit-learn", name)
        return getattr(importlib.import_module(_WHERE[name], __name__), name)


def __dir__():
    return __all__
