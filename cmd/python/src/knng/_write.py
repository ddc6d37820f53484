"""Writes to a finished graph, and copies of it, by the command's append, delete, compact and backup."""

import os

from . import _build, _command, _errors, _graph, _progress, _rows


def append(graph, data, ids, column, id_column, options, progress):
    rows = _rows.rows_of(data, column, id_column)
    ids = rows.ids if ids is None else ids
    with _build.lines_file(ids, "ids", rows.n) as file:
        flags = _build.flags({**rows.flags, **options, "ids": file})
        try:
            with _build.said_of(file, "ids", ids):
                return _run(graph, ["append", *flags, "--", graph.path, *rows.inputs], rows.feed(), progress)
        except _errors.InputError as error:
            raise _errors.of_rows(error, rows.files) from None
        except _errors.Error as error:
            raise _errors.of_inputs(error, [*rows.inputs, *([ids] if isinstance(ids, (str, os.PathLike)) else [])]) from None


def delete(graph, rows, options, progress):
    try:
        rows = _graph.listed([rows]) if isinstance(rows, (str, bytes)) else list(graph._names_or_rows(rows))
    except TypeError:  # one number, or what is refused below
        rows = [rows]
    if not rows:
        return {"dir": graph.path, "deleted": 0, "compacted": False}
    by_id = isinstance(rows[0], str)
    strangers = [row for row in rows if isinstance(row, str) != by_id]
    if strangers:
        raise _errors.InputTypeError(f"{strangers[0]!r} among {'ids' if by_id else 'rows'}, want all ids as str, or all rows as numbers")
    kind = "ids" if by_id else "rows"
    names = rows if by_id else _graph.whole(rows).tolist()
    if not by_id and min(names) < 0:
        raise _errors.NoRow(f"there is no row {min(names)}")
    with _build.lines_file(names, kind) as file, _build.said_of(file, kind, rows):
        return _run(graph, ["delete", *_build.flags({kind: file, **options}), "--", graph.path], None, progress)


def compact(graph, recall, threads, memory, progress):
    return _run(graph, ["compact", *_build.flags({"recall": recall, "threads": threads, "memory": memory}), "--", graph.path], None, progress)


def backup(graph, path):
    _command.run(["backup", f"--output={_graph.location(path)}", "--", graph.path])
    return _graph.Graph(path)


def _run(graph, args, feed, progress):
    shower = _progress.shower(progress)
    try:
        return _command.run(args, feed=feed, progress=shower)
    except _errors.BelowTarget as error:
        error.graph = graph
        raise
    finally:
        if hasattr(shower, "close"):
            shower.close()
