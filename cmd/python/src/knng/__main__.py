"""python -m knng: the command itself."""

import os
import subprocess
import sys

from ._command import find


def main():
    command = find()
    if os.name == "posix":
        os.execv(command, [command, *sys.argv[1:]])
    sys.exit(subprocess.run([command, *sys.argv[1:]]).returncode)


if __name__ == "__main__":
    main()
