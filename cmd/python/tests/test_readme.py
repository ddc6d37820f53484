"""The table of errors in README.md, beside the errors."""

import builtins
import re
from pathlib import Path

import knng

PAGE = Path(__file__).resolve().parent.parent / "README.md"


def test_errors_are_those_of_the_readme():
    rows = re.findall(r"^\| (`.*`) \| ([\w, ]*) ?\| .* \|$", PAGE.read_text(encoding="utf-8"), re.MULTILINE)
    told = {name: set(re.findall(r"\w+", kinds)) for names, kinds in rows for name in re.findall(r"`(\w+)`", names)}
    errors = {name: getattr(knng, name) for name in knng.__all__ if name not in ("Error", "KNNGTransformer") and isinstance(getattr(knng, name), type)}
    errors = {name: error for name, error in errors.items() if issubclass(error, knng.Error)}
    assert told.keys() == errors.keys()
    usual = [kind for kind in vars(builtins).values() if isinstance(kind, type) and issubclass(kind, Exception) and kind not in (Exception, OSError, LookupError)]
    for name, error in errors.items():
        assert {kind.__name__ for kind in usual if issubclass(error, kind)} == told[name], name
