"""Folders that go with the object that holds them."""

import shutil
import tempfile
import weakref


class Folder:
    """A temporary folder, removed with this object or at exit. ``name`` is its path."""

    def __init__(self):
        self.name = tempfile.mkdtemp(prefix="knng-")
        self._remove = weakref.finalize(self, shutil.rmtree, self.name, ignore_errors=True)

    def remove(self):
        self._remove()
