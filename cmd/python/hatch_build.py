"""Builds the command knng with Go and puts it among the wheel's scripts.

GOOS and GOARCH choose the platform, as in every Go build; the wheel's tag follows
them. The command is static (CGO_ENABLED=0), so that one wheel serves glibc and musl.
KNNG_PREBUILT names a command that is there already, linked with the version as build does, for
release jobs, and KNNG_NOTICES the licences of the modules that it is linked from.
"""

import os
import shutil
import subprocess
import tempfile
from pathlib import Path

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

# Go 1.26 wants Linux 3.2, where these tags promise more, and macOS 12.
TAGS = {
    ("linux", "amd64"): "manylinux_2_17_x86_64.manylinux2014_x86_64.musllinux_1_1_x86_64",
    ("linux", "arm64"): "manylinux_2_17_aarch64.manylinux2014_aarch64.musllinux_1_1_aarch64",
    ("darwin", "amd64"): "macosx_12_0_x86_64",
    ("darwin", "arm64"): "macosx_12_0_arm64",
    ("windows", "amd64"): "win_amd64",
    ("windows", "arm64"): "win_arm64",
}


class GoCommand(BuildHookInterface):
    """The hook that hatchling calls before it makes a wheel."""

    def initialize(self, version, build_data):
        self.folder = None
        if self.target_name == "sdist":
            build_data["force_include"].update(self.sources())
        else:
            self.command(build_data)

    def sources(self):
        """What of the Go module the command is built from, and where it stands in the sdist."""
        module = self.module()
        besides = {"bench", "cmd", "testdata"}
        names = ["LICENSE", "go.mod", "go.sum"]
        names += [f"cmd/{f.name}" for f in (module / "cmd").iterdir() if f.is_dir() and f.name != "python"]
        names += [f.name for f in module.iterdir() if f.is_dir() and not f.name.startswith(".") and f.name not in besides]
        return {str(module / name): f"go/{name}" for name in names}

    def command(self, build_data):
        """Build the command and say how the wheel is tagged."""
        system, machine = self.platform()
        if (system, machine) not in TAGS:
            raise RuntimeError(f"no wheel tag for GOOS={system} GOARCH={machine}: want one of {sorted(TAGS)}")
        name = "knng.exe" if system == "windows" else "knng"
        command = os.environ.get("KNNG_PREBUILT") or self.build(name)
        build_data["pure_python"] = False
        build_data["tag"] = f"py3-none-{TAGS[system, machine]}"
        build_data["force_include"][str(self.module() / "LICENSE")] = "knng/LICENSE"
        if os.environ.get("KNNG_NOTICES"):
            build_data["force_include"][os.environ["KNNG_NOTICES"]] = "knng/NOTICES"
        build_data["shared_scripts"] = {str(command): name}

    def finalize(self, version, build_data, artifact_path):
        if self.folder:
            shutil.rmtree(self.folder, ignore_errors=True)

    def platform(self):
        """GOOS and GOARCH, of this machine where they are not given."""
        if os.environ.get("GOOS") and os.environ.get("GOARCH"):
            return os.environ["GOOS"], os.environ["GOARCH"]
        return tuple(self.go("env", "GOOS", "GOARCH", cwd=self.root, capture_output=True, text=True).stdout.split())

    def build(self, name):
        """Build the command into a folder of its own."""
        self.folder = tempfile.mkdtemp(prefix="knng-wheel-")
        command = Path(self.folder) / name
        named = f"-ldflags=-s -w -X main.released={self.metadata.version}"
        self.go("build", "-trimpath", "-buildvcs=false", named, "-o", str(command), "./cmd/knng", cwd=self.module())
        return command

    def module(self):
        """The Go module: the checkout above this folder, or what the sdist has of it."""
        for folder in (Path(self.root).parent.parent, Path(self.root) / "go"):
            if (folder / "go.mod").is_file() and (folder / "cmd" / "knng").is_dir():
                return folder
        raise RuntimeError(f"no Go module above {self.root} or in its folder go: build from a checkout or from the sdist")

    def go(self, *args, **how):
        go = shutil.which("go")
        if go is None:
            raise RuntimeError("building knng from source needs Go (https://go.dev/dl): install it, or take a wheel, which needs none")
        return subprocess.run([go, *args], check=True, env={**os.environ, "CGO_ENABLED": "0"}, **how)
