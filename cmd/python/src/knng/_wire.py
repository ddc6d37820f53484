"""How values are handed to the command: what type they go as, and the bytes of a .npy file."""

import io

import numpy as np

from . import _errors

# What the command reads as it is. float64 too: it narrows it to float32 by rules of its own.
_AS_THEY_ARE = {"float32", "float16", "float64", "uint8", "int8"}
# What is exact in another type.
_EXACT = {"bool": "uint8", "int16": "float32", "uint16": "float32", "bfloat16": "float32"}
_WHOLE = {"int32", "uint32", "int64", "uint64"}
_LARGEST = 1 << 53  # beyond which float64 skips whole numbers

_BATCH = 16 << 20  # bytes of a buffer


def wire_type(dtype):
    """The type that values of dtype go as."""
    name = np.dtype(dtype).name
    if name in _AS_THEY_ARE:
        return np.dtype(name)
    if name in _EXACT:
        return np.dtype(_EXACT[name])
    if name in _WHOLE:
        return np.dtype("float64")
    raise _errors.InputTypeError(f"rows of {dtype}, want numbers: float64, float32, float16, bfloat16, integers or bool{_way_out(name)}")


def _way_out(name):
    if name == "object" or name.startswith("str"):
        return "; if they are numbers, x.astype('float32') makes them so"
    return "; numpy.abs, .real or .imag make real numbers" if name.startswith("complex") else ""


def convert(rows, to):
    """One batch of rows in C order and of the type that they go as."""
    if rows.dtype.name in _WHOLE and rows.size and max(-int(rows.min()), int(rows.max())) > _LARGEST:
        raise _errors.InputError(f"{rows.dtype} rows with values beyond 2^53, which no float holds: scale them")
    return np.ascontiguousarray(rows, dtype=to)


def header(n, dim, dtype):
    """What stands before the values of a .npy file."""
    out = io.BytesIO()
    np.lib.format.write_array_header_1_0(out, {"descr": np.lib.format.dtype_to_descr(dtype), "fortran_order": False, "shape": (n, dim)})
    return out.getvalue()


def batch_rows(dim, dtype):
    """How many rows make a buffer."""
    return max(1, _BATCH // max(1, dim * np.dtype(dtype).itemsize))


def stream(n, dim, dtype, slices):
    """A .npy file as buffers, from slices(step), which yields arrays of up to step rows."""
    dtype = wire_type(dtype).newbyteorder("<")
    yield header(n, dim, dtype)
    found = 0
    for rows in slices(batch_rows(dim, dtype)):
        rows = convert(np.asarray(rows), dtype)
        if rows.shape[1:] != (dim,):
            raise _errors.InputError(f"rows from {found} on have the shape {rows.shape}, want (any, {dim})")
        found += len(rows)
        if rows.size:
            yield memoryview(rows).cast("B")
    if found != n:
        raise _errors.InputError(f"{found} rows came, want {n}")


def mapped_file(rows):
    """The .npy file that an array maps as a whole and unchanged, or None: the command maps it itself."""
    if type(rows) is not np.memmap or rows.filename is None or rows.mode == "c" or not _whole(rows):
        return None
    try:
        there = np.load(rows.filename, mmap_mode="r")
    except (OSError, ValueError):
        return None
    same = there.offset == rows.offset and there.shape == rows.shape and there.dtype == rows.dtype and there.flags.c_contiguous
    if not same or rows.dtype.name not in _AS_THEY_ARE or not rows.flags.c_contiguous or not _maps(rows, there):
        return None
    if rows.mode != "r":
        rows.flush()
    return str(rows.filename)


def _maps(rows, there):
    """Whether the array maps the file that has its name now, which may have been replaced. there maps that file."""
    files = _file_at(rows.ctypes.data), _file_at(there.ctypes.data)
    if None not in files:
        return files[0] == files[1]
    some = np.unique(np.linspace(0, len(rows) - 1, min(len(rows), 1000)).astype(np.int64))
    return rows[some].tobytes() == there[some].tobytes()


def _file_at(address):
    """Device and inode of the file that is mapped at an address; None where the system does not show them."""
    try:
        with open("/proc/self/maps", "rb") as maps:
            for line in maps:
                span, _, _, device, inode = line.split()[:5]
                first, end = (int(at, 16) for at in span.split(b"-"))
                if first <= address < end:
                    return device, inode
    except OSError:
        pass
    return None


def _whole(rows):
    """Whether it is the map itself and not a part of one."""
    return not isinstance(rows.base, np.ndarray)
