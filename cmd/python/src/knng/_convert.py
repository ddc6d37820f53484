"""What other libraries take, made of a graph's lists."""

import numpy as np

from . import _errors


class Conversions:
    """Gives the graph in the form that each library wants; see the recipes."""

    def csr(self, include_self=False, symmetric=None):
        """Distances as a SciPy CSR matrix, a row's entries nearest first.

        include_self: the row itself first, at distance 0, stored. UsageError under "ip", where a row need not be nearest to itself.
        symmetric: None, "union" (a pair where either lists the other) or "mutual" (where each does).
        Without either, data and indices are the memory maps themselves, which are read-only: csr().copy() can be written to.
        """
        _sparse("csr()")
        if symmetric not in (None, "union", "mutual"):
            raise _errors.UsageError(f"symmetric is {symmetric!r}, want None, 'union' or 'mutual'")
        if include_self:
            refuse_ip(self.metric)
        matrix = self._matrix(*self._lists(include_self and symmetric is None))
        if symmetric is not None:
            matrix = _symmetric(matrix, symmetric, self._listed() if include_self else None)
        return matrix

    def _matrix(self, indices, distances):
        """Lists as a CSR matrix, of the same memory where every row has one."""
        from scipy.sparse import csr_matrix

        listed, width = self._listed(), indices.shape[1]
        if listed.all():
            ends = np.arange(0, len(indices) * width + 1, max(width, 1), dtype=_index_type(indices.size)) if width else np.zeros(len(indices) + 1, np.int32)
            return csr_matrix((distances.reshape(-1), indices.reshape(-1), ends), shape=(self.n, self.n), copy=False)
        ends = np.concatenate([[0], np.cumsum(listed * width)]).astype(_index_type(indices.size))
        return csr_matrix((distances[listed].reshape(-1), indices[listed].reshape(-1), ends), shape=(self.n, self.n))

    def _listed(self):
        """Which rows have lists; those with NaN, kept as isolated, have none."""
        if self.k == 0:
            return np.ones(self.n, bool)
        return np.asarray(self.indices[:, 0]) >= 0

    def _lists(self, include_self):
        """indices and distances, the row itself first where it is wanted."""
        if not include_self:
            return self.indices, self.distances
        indices = np.empty((self.n, self.k + 1), self.indices.dtype)
        distances = np.zeros((self.n, self.k + 1), self.distances.dtype)
        indices[:, 0] = np.arange(self.n)
        indices[:, 1:], distances[:, 1:] = self.indices, self.distances
        lost = ~self._listed()
        indices[lost, 0], distances[lost, 0] = -1, np.inf
        return indices, distances

    def to_umap(self, n_neighbors=None):
        """``precomputed_knn`` for ``umap.UMAP(n_neighbors)``, which counts the row itself: it comes first.

        n_neighbors is k by default, and k + 1 at most. It must be UMAP's: below 4,096 rows UMAP does not
        leave out columns that are too many. UsageError under "ip", where a row need not be nearest to itself.
        """
        refuse_ip(self.metric)
        n_neighbors = self._counted(n_neighbors)
        indices, distances = self._lists(True)
        return np.ascontiguousarray(indices[:, :n_neighbors]), np.ascontiguousarray(distances[:, :n_neighbors]), None

    def _counted(self, n_neighbors):
        """A number of neighbors that counts the row itself."""
        from ._graph import count  # which has these conversions

        n_neighbors = self.k if n_neighbors is None else count(n_neighbors, "n_neighbors")
        if not 2 <= n_neighbors <= self.k + 1:
            raise _errors.UsageError(f"n_neighbors is {n_neighbors}, want 2 to {self.k + 1}: k and the row itself")
        return n_neighbors

    def to_sklearn(self, symmetric=None):
        """For ``metric="precomputed"``: distances with the row itself, which scikit-learn takes for the nearest.

        DBSCAN and HDBSCAN want symmetric="union". Distances are float64, as those of KNeighborsTransformer: estimators that
        convert others make SciPy sort them by column. UsageError under "ip", where a row need not be nearest to itself.
        """
        _sparse("to_sklearn()")
        matrix = self.csr(include_self=True, symmetric=symmetric)
        matrix.data = matrix.data.astype(np.float64)
        return matrix

    def to_scanpy(self, adata, n_neighbors=None, **options):
        """Fill adata as ``scanpy.pp.neighbors(adata, n_neighbors)`` does, which counts the cell itself.

        n_neighbors is k by default, and k + 1 at most. options go to scanpy.pp.neighbors; with copy=True the copy is returned.
        InputError where the cells are not the graph's rows, by number, or by name where both have names, or where rows are
        isolated. UsageError under "ip", where a row need not be
        nearest to itself.
        """
        scanpy = _errors.library("scanpy", "scanpy", "to_scanpy()")
        refuse_ip(self.metric)
        n_neighbors = self._counted(n_neighbors)
        if adata.n_obs != self.n:
            raise _errors.InputError(f"{adata.n_obs} cells, the graph has {self.n} rows")
        self._check_names(np.asarray(adata.obs_names, object))
        if options.setdefault("metric", self.metric) != self.metric:
            raise _errors.UsageError(f"metric is {options['metric']!r}, the graph has {self.metric!r}")
        if "transformer" in options:
            raise _errors.UsageError("transformer is the graph: leave it out")
        if not self._listed().all():
            raise _errors.InputError(f"cell {np.flatnonzero(~self._listed())[0]} is isolated, and scanpy wants neighbors of all: leave it out of both")
        filled = scanpy.pp.neighbors(adata, transformer=_Given(self, n_neighbors), **options)
        return adata if filled is None else filled

    def _check_names(self, cells):
        """Refuse cells in another order than the rows, or of other names. Those named 0, 1, 2, ... have none."""
        ids = self.ids
        if ids is None or (cells == ids).all() or (cells == np.arange(self.n).astype(str)).all():
            return
        first = np.flatnonzero(cells != ids)[0]
        way_out = "adata[graph.ids].copy() has the cells in the order of the rows"
        if set(cells) != set(ids):
            way_out = "where they are the same cells, adata.obs_names = graph.ids gives them the names"
        raise _errors.InputError(f"cell {first} is {cells[first]!r}, row {first} of the graph {ids[first]!r}: {way_out}")

    def to_opentsne(self):
        """``openTSNE.nearest_neighbors.PrecomputedNeighbors``, for affinities: without the row itself."""
        nearest = _errors.library("openTSNE.nearest_neighbors", "openTSNE", "to_opentsne()")
        return nearest.PrecomputedNeighbors(np.asarray(self.indices), np.asarray(self.distances))

    def to_igraph(self, symmetric="union", weights="jaccard"):
        """An undirected igraph.Graph; edges have their ``distance``, and a ``weight`` that is large between near rows.

        weights: "jaccard", the share of neighbors (and the rows themselves) that both have, or None.
        Rows with ids have them as ``name``.
        """
        igraph = _errors.library("igraph", "igraph", "to_igraph()")
        triu = _sparse("to_igraph()").triu
        if symmetric is None:
            raise _errors.UsageError("symmetric is None, want 'union' or 'mutual': the graph is undirected")
        if weights not in ("jaccard", None):
            raise _errors.UsageError(f"weights is {weights!r}, want 'jaccard' or None")
        upper = triu(self.csr(symmetric=symmetric), k=1, format="coo")
        graph = igraph.Graph(n=self.n, edges=np.column_stack([upper.row, upper.col]), directed=False)
        graph.es["distance"] = upper.data.tolist()
        if weights == "jaccard":
            graph.es["weight"] = _jaccard(self.indices, upper.row, upper.col).tolist()
        if self.ids is not None:
            graph.vs["name"] = self.ids.tolist()
        return graph


def refuse_ip(metric):
    """The row itself is first in no list of negative inner products."""
    if metric == "ip":
        raise _errors.UsageError("under ip the distance of a row to itself is -<x,x> and not the least: it cannot stand first in its list")


def _sparse(use):
    return _errors.library("scipy.sparse", "scipy", use)


def _index_type(entries):
    return np.int32 if entries <= np.iinfo(np.int32).max else np.int64


def _symmetric(matrix, kind, itself):
    """The union or the intersection of a matrix and its transpose, stored zeros and all.

    SciPy's own sums and maxima drop entries of distance 0, so pairs are matched by number.
    """
    from scipy.sparse import csr_matrix

    n = matrix.shape[0]
    rows = np.repeat(np.arange(n, dtype=np.int64), np.diff(matrix.indptr))
    columns = matrix.indices.astype(np.int64)
    low, high = np.minimum(rows, columns), np.maximum(rows, columns)
    pairs, first, counts = np.unique(low * n + high, return_index=True, return_counts=True)
    values = np.asarray(matrix.data)[first]  # both directions have one distance
    if kind == "mutual":
        pairs, values = pairs[counts == 2], values[counts == 2]
    a, b = pairs // n, pairs % n
    diagonal = np.flatnonzero(itself) if itself is not None else np.empty(0, np.int64)
    rows = np.concatenate([a, b, diagonal])
    columns = np.concatenate([b, a, diagonal])
    values = np.concatenate([values, values, np.zeros(len(diagonal), values.dtype)])
    order = np.lexsort((values, columns != rows, rows))  # the row itself, then nearest first
    ends = np.concatenate([[0], np.cumsum(np.bincount(rows, minlength=n))])
    kind_of_index = _index_type(len(rows))
    return csr_matrix((values[order], columns[order].astype(kind_of_index), ends.astype(kind_of_index)), shape=(n, n))


def _jaccard(indices, rows, columns, at_once=1 << 22):
    """For each pair, the share of what both lists have, the rows themselves counted in. at_once bounds the entries of a batch."""
    out = np.empty(len(rows), np.float64)
    width = indices.shape[1] + 1
    step = max(1, at_once // width)
    for at in range(0, len(rows), step):
        a, b = rows[at:at + step], columns[at:at + step]
        entries = np.sort(np.column_stack([a, indices[a], b, indices[b]]), axis=1)
        both = (entries[:, 1:] == entries[:, :-1]).sum(axis=1)
        out[at:at + step] = both / (2 * width - both)
    return out


class _Given:
    """What scanpy takes for a transformer, that has its answer."""

    def __init__(self, graph, n_neighbors):
        self.graph, self.n_neighbors = graph, n_neighbors

    def get_params(self, deep=True):
        return {"n_neighbors": self.n_neighbors}

    def fit_transform(self, x):
        """Lists of n_neighbors - 1, without the cell itself, as scanpy keeps them."""
        columns = np.s_[:, :self.n_neighbors - 1]
        return self.graph._matrix(np.array(self.graph.indices[columns]), np.array(self.graph.distances[columns]))
