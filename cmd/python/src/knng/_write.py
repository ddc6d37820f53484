"""Writes to a finished graph, by the command's append, delete and compact."""

import numpy as np

from . import _build, _command, _errors, _graph, _progress, _rows


def append(graph, data, ids, column, id_column, compact, progress):
    rows = _rows.rows_of(data, column, id_column)
    ids = rows.ids if ids is None else ids
    with _build.lines_file(ids, "ids", rows.n) as file:
        flags = _build.flags({**rows.flags, "ids": file, "compact": compact or None})
        try:
            with _build.said_of(file, "ids", ids):
                return _run(["append", *flags, "--", graph.path, *rows.inputs], rows.feed(), progress)
        except _errors.InputError as error:
            raise _errors.of_rows(error, rows.files) from None
        except _errors.Error as error:
            raise _errors.of_inputs(error, rows.inputs) from None


def delete(graph, rows, compact, progress):
    rows = [rows] if isinstance(rows, str) or np.ndim(rows) == 0 else list(rows)
    if not rows:
        return {"deleted": 0}
    by_id = isinstance(rows[0], str)
    strangers = [row for row in rows if isinstance(row, str) != by_id]
    if strangers:
        raise _errors.InputTypeError(f"{strangers[0]!r} among {'ids' if by_id else 'rows'}, want all ids as str, or all rows as numbers")
    kind = "ids" if by_id else "rows"
    names = rows if by_id else _graph.whole(rows).tolist()
    with _build.lines_file(names, kind) as file, _build.said_of(file, kind, rows):
        return _run(["delete", *_build.flags({kind: file, "compact": compact or None}), "--", graph.path], None, progress)


def compact(graph, recall, threads, memory, progress):
    return _run(["compact", *_build.flags({"recall": recall, "threads": threads, "memory": memory}), "--", graph.path], None, progress)


def _run(args, feed, progress):
    shower = _progress.shower(progress)
    try:
        return _command.run(args, feed=feed, progress=shower)
    finally:
        if hasattr(shower, "close"):
            shower.close()
