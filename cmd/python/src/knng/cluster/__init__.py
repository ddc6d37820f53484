"""A graph built by many machines, on an engine that is there already: the same bytes as from one machine.

    python -m knng.cluster build part*.u8bin -o /shared/run --engine dask://HOST:8786 -k 10
    knng unite /shared/run -o graph.knng

The parts method is cut into tasks from files to files (``knng help stage``). This driver asks
the command what to do next, has an engine run those commands, and asks again. Rows never pass
through the engine: it carries a command and a few numbers a task. Whatever dies, the same
command goes on: a file in the run is whole or absent, and a task whose file is there does
nothing.

Inputs and the run may be in an object store, as s3://bucket/run, by fsspec and its packages
(pip install s3fs, gcsfs, adlfs) on all machines; the graph is then made by

    python -m knng.cluster unite s3://bucket/run/... -o graph.knng
"""

from ._driver import RowsRefused, TaskFailed, build, plan, unite
from ._engines import EngineError

__all__ = ["EngineError", "RowsRefused", "TaskFailed", "build", "plan", "unite"]
