"""Folders that go with the object that holds them."""

import os
import shutil
import tempfile
import weakref


class Folder:
    """A temporary folder, removed with this object or at exit. ``name`` is its path.

    Only the process that made it removes it: a forked child has a copy of this object, and the parent still needs the folder.
    """

    def __init__(self):
        self.name = tempfile.mkdtemp(prefix="knng-")
        self._remove = weakref.finalize(self, _remove, self.name, os.getpid())

    def remove(self):
        self._remove()


def _remove(path, maker):
    if os.getpid() == maker:
        shutil.rmtree(path, ignore_errors=True)
