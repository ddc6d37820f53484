package vectors

import (
	"fmt"
	"io"
	"os"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
)

// unpackedFile is a file that can be mapped.
type unpackedFile struct {
	path   string       // where it is
	name   string       // what tells its format
	remove func() error // nil where it is the user's own
}

// unpacked gives a mappable form of an input and its description. Compressed
// files and stdin are unpacked into a temporary file.
func unpacked(path, scratch string) (unpackedFile, File, error) {
	if path == "-" {
		u, err := spool(os.Stdin, "stdin.npy", scratch)
		if err != nil {
			return u, File{}, fmt.Errorf("vectors: stdin: %w", err)
		}
		file, err := describe(u.path)
		file.Path, file.ModTime = "-", 0
		return u, file, err
	}
	file, err := describe(path)
	if err != nil {
		return unpackedFile{}, File{}, err
	}
	ext := packing(path)
	if ext == "" {
		return unpackedFile{path: path, name: path}, file, nil
	}
	u, err := unpack(path, ext, scratch)
	if err != nil {
		return u, file, fmt.Errorf("vectors: unpack %s: %w", path, err)
	}
	return u, file, nil
}

// maxWindow bounds what a zstd file may ask to be held in memory: what zstd
// --long writes, and not the gigabytes that a hostile header can name.
const maxWindow = 128 << 20

func unpack(path, ext, scratch string) (unpackedFile, error) {
	f, err := os.Open(path)
	if err != nil {
		return unpackedFile{}, err
	}
	defer f.Close()
	var r io.Reader
	if ext == ".gz" {
		r, err = gzip.NewReader(f)
	} else {
		var z *zstd.Decoder
		if z, err = zstd.NewReader(f, zstd.WithDecoderMaxWindow(maxWindow)); err == nil {
			defer z.Close()
			r = z
		}
	}
	if err != nil {
		return unpackedFile{}, err
	}
	return spool(r, path[:len(path)-len(ext)], scratch)
}

// spool copies a stream into a temporary file.
func spool(r io.Reader, name, scratch string) (u unpackedFile, err error) {
	if scratch != "" {
		if err := os.MkdirAll(scratch, 0o777); err != nil {
			return u, err
		}
	}
	f, err := os.CreateTemp(scratch, "knng-input-*")
	if err != nil {
		return u, err
	}
	u = unpackedFile{path: f.Name(), name: name, remove: func() error { return os.Remove(f.Name()) }}
	_, err = io.Copy(f, r)
	if closeErr := f.Close(); err == nil {
		err = closeErr
	}
	if err != nil {
		u.remove()
	}
	return u, err
}
