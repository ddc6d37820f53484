"""The gateway by which the command reaches object stores: HTTP on this machine, fsspec behind it.

The protocol is that of the Go package vectors/objects. What fsspec reaches, a run reaches:
s3:// with s3fs, gs:// with gcsfs, abfs:// with adlfs, with their settings and credentials.
"""

import contextlib
import functools
import http.server
import importlib.util
import json
import os
import random
import re
import secrets
import threading
import time
import urllib.parse

from .. import _errors

PATIENCE = 20  # seconds for which a store that fails is asked again, longer than one stumbles; $KNNG_OBJECTS_PATIENCE
_FINAL = (FileNotFoundError, PermissionError, IsADirectoryError, NotADirectoryError)  # errors that another try does not mend


class StoreError(_errors.Error, OSError):
    """A store does not answer, or refuses."""


def is_object(path):
    """Whether a path is an address such as s3://bucket/name."""
    return "://" in os.fspath(path)


def local(path):
    """A path of this machine, made absolute; an address of an object store as it is."""
    path = os.fspath(path)
    if path.startswith("file://"):
        path = urllib.parse.unquote(urllib.parse.urlsplit(path).path)
    return path if is_object(path) else os.path.abspath(path)


def expand(inputs):
    """Inputs with the patterns among addresses expanded, in order; the shell expands those of files."""
    found = []
    for path in map(os.fspath, inputs):
        if not (is_object(path) and re.search(r"[*?\[]", path)):
            found.append(local(path))
            continue
        try:
            fs, name = _find(path)
            names = sorted(_tried(lambda: fs.glob(name)))
        except Exception as error:  # the store's, of any library
            raise StoreError(f"{path}: {_said(error)}") from error
        if not names:
            raise _errors.NoInput(f"{path}: no object has such a name")
        found += [fs.unstrip_protocol(n) for n in names]
    return found


def read_json(path):
    """The value in a small file or object; None where it cannot be had: it is asked for once."""
    try:
        if is_object(path):
            fs, name = _find(path)
            return json.loads(fs.cat_file(name))
        with open(path, encoding="utf-8") as file:
            return json.load(file)
    except Exception:  # the store's, of any library
        return None


def write_json(path, value):
    """Write a value that may be lost, to a small file or object; another one at once is whole as well."""
    with contextlib.suppress(Exception):  # the store's, of any library
        if is_object(path):
            fs, name = _find(path)
            fs.pipe_file(name, json.dumps(value).encode())
            return
        aside = f"{path}.{os.getpid()}.tmp"
        with open(aside, "w", encoding="utf-8") as file:
            json.dump(value, file)
        os.replace(aside, path)


def environment():
    """The environment of a command: with the address of the gateway, where fsspec is installed."""
    if importlib.util.find_spec("fsspec") is None:
        return dict(os.environ)
    return {**os.environ, "KNNG_OBJECTS": _gateway(os.getpid())}


@functools.lru_cache(maxsize=None)
def _gateway(_pid):
    """Start the gateway of this process, and return its address."""
    token = secrets.token_urlsafe(24)  # other users of this machine do not know it
    server = _Server(("127.0.0.1", 0), type("Handler", (_Handler,), {"token": token}))
    threading.Thread(target=server.serve_forever, daemon=True, name="knng objects").start()
    return f"http://127.0.0.1:{server.server_address[1]}/{token}"


def _find(address):
    """The file system of an address, and the name in it."""
    import fsspec

    return fsspec.core.url_to_fs(address, use_listings_cache=False)


def _tried(ask):
    """Ask a store, and again where it fails for a moment."""
    end = time.monotonic() + float(os.environ.get("KNNG_OBJECTS_PATIENCE", PATIENCE))
    wait = 0.1
    while True:
        try:
            return ask()
        except _FINAL:
            raise
        except Exception as error:
            if "Credentials" in type(error).__name__ or time.monotonic() + wait > end:  # botocore's NoCredentialsError and others
                raise
        time.sleep(wait * random.uniform(0.5, 1))
        wait = min(2 * wait, 5)


class _Server(http.server.ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 512  # connections that wait: a command asks for many blocks at once, and of 5 the system cuts some where this process is slow


class _Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    wbufsize = 1 << 16  # header and body leave together: apart, the second waits 40 ms for an acknowledgement
    disable_nagle_algorithm = True

    def log_message(self, *_):
        """Nothing is printed."""

    def do_GET(self):
        asked = urllib.parse.urlsplit(self.path).path.rsplit("/", 1)[-1]
        if asked == "size":
            self.serve(asked, lambda fs, name, _: self.answer(200, str(_tried(lambda: fs.info(name))["size"]).encode()))
        elif asked == "list":
            self.serve(asked, lambda fs, name, _: self.answer(200, "\n".join(_names(fs, name)).encode()))
        else:
            self.serve("object", lambda fs, name, _: self.answer(206, self.part(fs, name)))

    def do_POST(self):
        self.serve("object", lambda fs, name, form: self.answer(200, _put(fs, name, form["from"][0])))

    def do_DELETE(self):
        self.serve("object", lambda fs, name, _: self.answer(200, _remove(fs, name)))

    def serve(self, kind, act):
        """Find what is asked for, act, and say what went wrong."""
        url = urllib.parse.urlsplit(self.path)
        if not secrets.compare_digest(url.path.encode(), f"/{self.token}/{kind}".encode()):
            self.answer(403, b"this is the gateway of another process")
            return
        try:
            form = urllib.parse.parse_qs(url.query, strict_parsing=True)
            fs, name = _find(form["at"][0])
            act(fs, name, form)
        except FileNotFoundError:
            self.answer(404)
        except ImportError as error:
            self.answer(501, _said(error).encode())
        except BrokenPipeError:
            pass
        except Exception as error:  # the store's, of any library
            self.answer(502, _said(error).encode())

    def part(self, fs, name):
        first, last = map(int, re.fullmatch(r"bytes=(\d+)-(\d+)", self.headers["Range"]).groups())

        def read():
            data = fs.cat_file(name, start=first, end=last + 1)
            if len(data) != last + 1 - first:
                raise OSError(f"{len(data)} bytes came, asked {last + 1 - first}")
            return data

        return _tried(read)

    def answer(self, code, body=b""):
        self.send_response(code)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


def _said(error):
    """What went wrong, with what a user can do about it."""
    if isinstance(error, PermissionError) or "Credentials" in type(error).__name__:
        return f"the store refuses the credentials of this machine, or they are missing: {error}"
    if isinstance(error, ImportError):
        return f"its package is not installed: {error}"
    if isinstance(error, ValueError) and "Protocol not known" in str(error):
        return f"fsspec has no such store: {error}"
    return f"{type(error).__name__}: {error}"


def _names(fs, name):
    return [entry["name"].rstrip("/").rsplit("/", 1)[-1] for entry in _tried(lambda: fs.ls(name, detail=True)) if entry["type"] == "file"]


def _put(fs, name, path):
    try:
        _tried(lambda: fs.put_file(path, name))
    except FileNotFoundError as error:
        raise OSError(f"there is no such bucket: {error}") from error
    return b""


def _remove(fs, name):
    _tried(lambda: fs.rm(name, recursive=True))
    return b""
