"""python -m knng.cluster: see --help."""

import argparse
import contextlib
import json
import re
import sys

from .. import _errors
from . import __doc__ as about
from . import _driver, _objects, _show

_PASSED = {
    "-k": "neighbors of a row (default 20)",
    "--metric": "euclidean, sqeuclidean, cosine or correlation",
    "--recall": "stop when this recall is reached (default 0.95)",
    "--divisions": "leaves that a row stands in, or at most so many where --recall is given too",
    "--seed": "seed of all random choices",
    "--bad-rows": "rows with NaN, Inf, or zero under cosine: error, drop or isolate",
    "--ids": "file of external ids, one line for every row",
    "--shard-rows": "rows of the input that one task reads",
    "--solvers": "most tasks that solve the groups of a division",
    "--range-rows": "rows whose lists one task folds",
}

_TYPES = {flag: str for flag in ("--metric", "--recall", "--bad-rows", "--ids")}  # others are whole numbers


def _parser():
    parser = argparse.ArgumentParser(prog="python -m knng.cluster", description=about, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    _unite_parser(commands)
    build = commands.add_parser("build", help="build a graph, or go on with one")
    build.add_argument("inputs", nargs="+", metavar="INPUT", help="files that all machines see under these paths, or objects such as s3://bucket/part*.npy")
    build.add_argument("-o", "--output", required=True, metavar="RUN", help="folder that all machines see, for the files of the run, or an address such as s3://bucket/run")
    build.add_argument("--engine", default="local:1", help="local:N, dask://HOST:8786, ray://HOST:10001, ray:auto or spark://HOST:7077 (default local:1)")
    build.add_argument("--memory", type=_size, help="memory of a worker, such as 1GiB (default: Dask's limit of it, else half of the machine)")
    build.add_argument("--threads", type=_count, help="threads of a worker")
    build.add_argument("--plan", metavar="WORKERSxTHREADS", help="say what a build by so many workers would take, and build nothing")
    build.add_argument("--json", action="store_true", help="print the result as JSON")
    build.add_argument("--progress", choices=_show.WAYS, default="auto", help="how far the run is, on stderr: bar on a terminal, else plain lines, json one object a second at most and the last, none (default auto)")
    build.add_argument("--quiet", action="store_true", help="print no progress: --progress none")
    for flag, text in _PASSED.items():
        build.add_argument(flag, help=text, dest="pass" + flag, type=_TYPES.get(flag, _whole))
    return parser


def _unite_parser(commands):
    unite = commands.add_parser("unite", help="make one graph of a finished run; other options are those of knng unite")
    unite.add_argument("run", metavar="RUN", help="the run that build printed")
    unite.add_argument("-o", "--output", required=True, metavar="DIR", help="directory of the graph")


def _whole(text):
    if not text.isdecimal():
        raise argparse.ArgumentTypeError(f"{text!r}, want a whole number")
    return text


def _count(text):
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"{text!r}, want 1 or more")
    return int(text)


def _size(text):
    found = re.fullmatch(r"(\d+(?:\.\d+)?)\s*([KMGT]?)i?B?", text, re.IGNORECASE)
    if not found or not float(found[1]):
        raise argparse.ArgumentTypeError(f"{text!r}, want a size such as 512MiB or 2G")
    return int(float(found[1]) * 1024 ** " KMGT".index(found[2].upper() or " "))


def main(argv=None):
    given, rest = _parser().parse_known_args(argv)
    if rest and given.command != "unite":
        _parser().error(f"unknown arguments: {' '.join(rest)}")
    try:
        return _driver.unite(given.run, given.output, rest) if given.command == "unite" else _build(given)
    except KeyboardInterrupt:
        _show.say("interrupted: give the same command again to continue")
        return 130
    except _errors.Error as error:
        _show.say(error)
        return error.exit_code
    except OSError as error:
        _show.say(error)
        return 1


def _build(given):
    """Build a graph, or say what that would take. Returns the exit code."""
    options = [word for flag in _PASSED if getattr(given, "pass" + flag) is not None for word in (flag, getattr(given, "pass" + flag))]
    if given.plan:
        print(_driver.plan(given.inputs, options, given.plan), end="")
        return 0
    shown = _show.shown("none" if given.quiet else given.progress)
    with contextlib.redirect_stdout(sys.stderr), contextlib.closing(shown):  # Ray prints of workers that died
        result = _driver.build(given.inputs, given.output, given.engine, options, given.memory, given.threads, shown.line, shown.event)
    return _print(result, given.json)


def _print(result, as_json):
    """Print the result; below the recall asked for is exit code 4, as with knng build."""
    if as_json:
        print(json.dumps(result))
    else:
        recall = result["recall_estimate"]
        print(f"{result['run']}: {result['rows']} rows of {result['dim']} {result['type']}, k={result['k']}, {result['metric']}")
        print(f"recall     {recall['recall']:.4f}, 95 % interval {recall['low']:.4f} to {recall['high']:.4f} ({recall['sample']} rows)")
        print(f"stopped    {result['stop']}")
        print(f"tasks      {result['tasks']}, {result['retries']} tried again; {result['wall_seconds']:.1f} s, {result['task_cpu_seconds']:.1f} s of CPU, {result['peak_task_bytes'] >> 20} MiB resident in the largest")
        print(f"next       {'python -m knng.cluster' if _objects.is_object(result['run']) else 'knng'} unite {result['run']} -o graph.knng")
    if result["short"]:
        _show.say(f"the graph is below the recall asked for: {result['recall_estimate']['recall']:.4f}, asked {result['target']}")
        return 4
    return 0


if __name__ == "__main__":
    sys.exit(main())
