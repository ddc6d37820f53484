"""The package as it is installed, else the sources here with a command that Go builds."""

import importlib.util
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

HERE = Path(__file__).resolve().parent


def _prepare():
    if importlib.util.find_spec("knng") is None:
        sys.path.insert(0, str(HERE.parent / "src"))
    from knng import _command, _errors

    try:
        _command.find()
    except _errors.CommandNotFound:
        if shutil.which("go") is None:
            pytest.exit("no command knng and no Go to build it: pip install ./cmd/python, or set KNNG_BINARY", returncode=1)
        binary = os.path.join(tempfile.mkdtemp(prefix="knng-test-"), "knng")
        subprocess.run(["go", "build", "-o", binary, "./cmd/knng"], cwd=HERE.parents[2], check=True, env={**os.environ, "CGO_ENABLED": "0"})
        os.environ["KNNG_BINARY"] = binary


_prepare()


@pytest.fixture(scope="session")
def rng():
    import numpy

    return numpy.random.default_rng(7)


@pytest.fixture
def path(tmp_path):
    return str(tmp_path / "graph.knng")
