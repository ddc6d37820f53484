"""KNNGTransformer: a graph by scikit-learn's contract."""

import copy
import numbers
import os

import numpy as np
from scipy.sparse import csr_matrix
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from . import _convert, _errors, _exact, _wire
from ._build import build


_MANY = 100_000_000  # pairs


class KNNGTransformer(TransformerMixin, BaseEstimator):
    """Transforms rows into the sparse matrix of distances to their nearest fitted rows, as KNeighborsTransformer does.

    A row has n_neighbors + 1 distances, nearest first: among the rows that were fitted the first is the row
    itself, at distance 0. It stands where KNeighborsTransformer does: in pipelines before estimators with
    ``metric="precomputed"``, and in ``scanpy.pp.neighbors(adata, transformer=KNNGTransformer(15))``.

    Rows that were not fitted are compared with all fitted ones, exactly; from a hundred million pairs on
    they are looked for in the graph, at the recall of the build. Some of the fitted rows count as rows that were not fitted.

    Distances are float64, as KNeighborsTransformer's, of the precision of float32. A copy shares the graph. A pickle
    refers to it where ``path`` was given to the fit, and the graph must still be there; without ``path`` it has no ``graph_``, as
    a temporary graph goes with its process, and compares with all fitted rows, exactly.

    Parameters
    ----------
    n_neighbors : int
        Neighbors of a row, beside itself.
    metric : str
        "euclidean", "sqeuclidean", "cosine", "l1" ("manhattan", "cityblock"), "chebyshev" or "correlation". Under "ip" a
        row need not be nearest to itself: UsageError.
    mode : str
        "distance", or "connectivity" for entries of 1: n_neighbors of a row, the row itself among them.
    recall : float
        Share of the true neighbors to find.
    method : str, optional
        As of knng.build; by default the command chooses.
    random_state : int, RandomState or None
        None and 0 are the same seed: a graph is a function of rows, options and seed.
    n_jobs : int, optional
        Threads; None and -1 are all processors.
    memory : str or int, optional
        Memory limit, such as "2GiB".
    path : path, optional
        Directory of the graph, where an interrupted fit continues; by default a temporary one. It serves one fit: the graph
        there is never replaced, and a fit of other rows or options raises UsageError. Leave it out where an estimator is fitted
        several times, as in cross_val_score and GridSearchCV.
    progress : bool or function
        As of knng.build.

    Attributes
    ----------
    graph_ : knng.Graph
    distances_ : scipy.sparse.csr_matrix
        Of the fitted rows.
    n_samples_fit_ : int

    Examples
    --------
    >>> sc.pp.neighbors(adata, transformer=knng.KNNGTransformer(n_neighbors=15))
    >>> make_pipeline(knng.KNNGTransformer(15), KNeighborsClassifier(10, metric="precomputed"))
    """

    def __init__(self, n_neighbors=15, *, metric="euclidean", mode="distance", recall=0.95, method=None, random_state=None, n_jobs=None, memory=None,
                 path=None, progress=False):
        self.n_neighbors = n_neighbors
        self.metric = metric
        self.mode = mode
        self.recall = recall
        self.method = method
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.memory = memory
        self.path = path
        self.progress = progress

    def fit(self, X, y=None):
        """Build the graph of X; ``graph_`` is it, ``distances_`` its matrix. A ``path`` that has a graph of other rows or options is refused."""
        _convert.refuse_ip(self.metric)
        mapped = X if _wire.mapped_file(X) else None  # which scikit-learn's checks would hide
        X = _validated(self, X, reset=True)
        if not isinstance(self.n_neighbors, numbers.Integral) or self.n_neighbors < 1:
            raise _errors.UsageError(f"n_neighbors is {self.n_neighbors!r}, want 1 or more")
        if self.mode not in ("distance", "connectivity"):
            raise _errors.UsageError(f"mode is {self.mode!r}, want 'distance' or 'connectivity'")
        if self.n_neighbors >= len(X):
            raise _errors.UsageError(f"Expected n_neighbors < n_samples_fit, but n_neighbors = {self.n_neighbors}, n_samples_fit = {len(X)}")
        try:
            self.graph_ = build(
                X if mapped is None else mapped, self.path, k=int(self.n_neighbors), metric=self.metric, recall=self.recall, method=self.method,
                seed=self._seed(), threads=self._threads(), memory=self.memory, progress=self.progress)
        except _errors.UsageError as error:
            if self.path is not None and str(error).endswith("or another directory"):
                error.args = (f"{error}; a path serves one fit: leave it out in cross-validation and searches of parameters", *error.args[1:])
            raise
        self.distances_ = self.graph_.to_sklearn()
        self._fit_X = X
        self.n_samples_fit_ = len(X)
        return self

    def transform(self, X):
        """The matrix of X: the graph's own where X are the rows that were fitted."""
        check_is_fitted(self)
        X = _validated(self, X, reset=False)
        if X is self._fit_X or X.shape == self._fit_X.shape and np.array_equal(X, self._fit_X):
            return self._as_asked(self._of_fitted())
        indices, distances = self._nearest(X)
        ends = np.arange(0, indices.size + 1, indices.shape[1])
        return self._as_asked(csr_matrix((distances.reshape(-1).astype(np.float64), indices.reshape(-1), ends), shape=(len(X), self.n_samples_fit_)))

    def _of_fitted(self):
        """The matrix of the fitted rows; with fewer neighbors than were fitted, their first ones."""
        every = self.distances_
        width = every.indices.size // max(1, every.shape[0])
        k = min(self.n_neighbors + 1, width)
        if k == width:
            return every
        first = np.arange(every.shape[0])[:, None] * width + np.arange(k)
        return csr_matrix((every.data[first].reshape(-1), every.indices[first].reshape(-1), np.arange(0, first.size + 1, k)), shape=every.shape)

    def _as_asked(self, matrix):
        """A copy of distances, or of the entries without the farthest, as ones."""
        if self.mode == "distance":
            return matrix.copy()
        nearest = matrix.indices.reshape(matrix.shape[0], -1)[:, :-1]
        ends = np.arange(0, nearest.size + 1, max(1, nearest.shape[1]), dtype=matrix.indptr.dtype)
        return csr_matrix((np.ones(nearest.size), nearest.reshape(-1), ends), shape=matrix.shape)

    def _nearest(self, X):
        """The nearest fitted rows of others."""
        k = self.n_neighbors + 1
        if len(X) * self.n_samples_fit_ < _MANY or not hasattr(self, "graph_"):
            return _exact.nearest(X, self._fit_X, k, self.metric)
        return self.graph_.search(X, k, recall=self.recall)

    def fit_transform(self, X, y=None):
        """Build the graph of X and give its matrix."""
        self.fit(X)
        return self._as_asked(self.distances_)

    def get_feature_names_out(self, input_features=None):
        """A name for each fitted row."""
        check_is_fitted(self)
        return np.array([f"knngtransformer{i}" for i in range(self.n_samples_fit_)], dtype=object)

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.transformer_tags.preserves_dtype = []  # distances are float64
        return tags

    def __getstate__(self):
        """Without a graph that is temporary: its matrix and the fitted rows stay."""
        state = dict(super().__getstate__())
        if "graph_" in state and state["graph_"]._is_temporary:  # whatever path is by now
            del state["graph_"]
        return state

    def __copy__(self):
        other = type(self).__new__(type(self))
        other.__dict__.update(self.__dict__)
        return other

    def __deepcopy__(self, memo):
        """A copy in this process shares the graph, a temporary one too."""
        memo[id(self)] = other = type(self).__new__(type(self))
        other.__dict__.update((name, copy.deepcopy(value, memo)) for name, value in self.__dict__.items())
        return other

    def _seed(self):
        """Seeds of the command begin at 1."""
        if self.random_state is None:
            return 1
        if isinstance(self.random_state, numbers.Integral):
            return int(self.random_state) % (1 << 63) + 1
        return int(check_random_state(self.random_state).randint(1, 1 << 31))

    def _threads(self):
        """scikit-learn's negative numbers count from all processors down."""
        if self.n_jobs is None or self.n_jobs == -1:
            return None
        if self.n_jobs == 0:
            raise _errors.UsageError("n_jobs is 0, want threads, or -1 for all")
        return self.n_jobs if self.n_jobs > 0 else max(1, (os.cpu_count() or 1) + 1 + self.n_jobs)


def _validated(estimator, X, reset):
    """X checked as scikit-learn does, in a type that the command reads."""
    how = {"dtype": [np.float64, np.float32, np.float16, np.uint8, np.int8], "ensure_min_samples": 2 if reset else 1}
    try:
        from sklearn.utils.validation import validate_data
    except ImportError:  # before scikit-learn 1.6
        return estimator._validate_data(X, reset=reset, **how)
    return validate_data(estimator, X, reset=reset, **how)
