"""The sdist, from which pip builds the command where no wheel fits."""

import re
import subprocess
import sys
import tarfile
from pathlib import Path

import pytest

PROJECT = Path(__file__).resolve().parent.parent


def test_sdist_has_all_that_the_command_imports(tmp_path):
    pytest.importorskip("hatchling", reason="hatchling is not installed")
    made = subprocess.run([sys.executable, "-c", f"from hatchling.build import build_sdist; build_sdist({str(tmp_path)!r})"],
                          cwd=PROJECT, capture_output=True, text=True)
    assert made.returncode == 0, made.stderr
    (archive,) = tmp_path.glob("*.tar.gz")
    with tarfile.open(archive) as sdist:
        sdist.extractall(tmp_path, filter="data")
    (folder,) = [f for f in tmp_path.iterdir() if f.is_dir()]
    module = folder / "go"
    assert (folder / "hatch_build.py").is_file() and (module / "go.mod").is_file()
    name = re.search(r"^module (\S+)", (module / "go.mod").read_text(), re.M)[1]
    todo, seen = ["cmd/knng"], set()
    while todo:
        package = todo.pop()
        seen.add(package)
        sources = [f for f in (module / package).glob("*.go") if not f.name.endswith("_test.go")]
        assert sources, f"the sdist has no package {package}"
        for source in sources:
            todo += set(re.findall(rf'^\s*(?:import )?(?:\w+ )?"{re.escape(name)}/([^"]+)"', source.read_text(encoding="utf-8"), re.M)) - seen
    assert len(seen) > 20
