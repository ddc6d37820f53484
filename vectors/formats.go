package vectors

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// layout locates the rows in a mapped file.
type layout struct {
	n, dim   int
	typ      Type
	offset   int // of the first element of row 0
	stride   int
	from     number // how elements stand in the file, where that is not how rows hold them
	fortran  bool   // element j of row i is j*n+i: columns stand one after the other
	prefixed bool   // an int32 dimension stands before every row
}

// parsers by extension. Each is given the beginning of a file, its header at
// least, and returns the layout that the header promises.
var parsers = map[string]func([]byte) (layout, error){
	".fvecs": vecs(Float32), ".bvecs": vecs(Uint8),
	".fbin": bin(Float32), ".u8bin": bin(Uint8), ".i8bin": bin(Int8),
	".npy": npy,
}

// unknown is the n of a layout whose header does not tell it.
const unknown = -1

// parseFile reads the header of a whole file and holds its promise against the
// length of the file.
func parseFile(parse func([]byte) (layout, error), data []byte) (layout, error) {
	l, err := parse(data)
	if err != nil {
		return layout{}, err
	}
	if l.n == unknown {
		if rest := len(data) % l.stride; rest != 0 {
			return layout{}, fmt.Errorf("%s bytes are %d rows of %d bytes and %d bytes more: truncated, or rows differ in dimension",
				grouped(len(data)), len(data)/l.stride, l.stride, rest)
		}
		l.n = len(data) / l.stride
		return l, nil
	}
	rest := len(data) - l.offset
	if l.n < 0 || l.n > rest/l.stride || l.n*l.stride != rest {
		short := ""
		if rest/l.stride < l.n {
			short = ": the file is cut short"
		}
		return layout{}, fmt.Errorf("%s bytes of data after the header of %d, want %d rows of %d bytes%s", grouped(rest), l.offset, l.n, l.stride, short)
	}
	return l, nil
}

// readable lists the formats that are read, further ones among them, sorted, for messages.
func readable(further map[string]Format) string {
	list := slices.Collect(maps.Keys(parsers))
	list = append(list, ".csv", ".npz", ".tsv", ".txt")
	list = slices.AppendSeq(list, maps.Keys(further))
	slices.Sort(list)
	return strings.Join(list, " ")
}

// extensions lists the formats that are written, for messages.
func extensions() string {
	list := append(slices.Collect(maps.Keys(written)), ".npy")
	slices.Sort(list)
	return strings.Join(list, " ")
}

// parserOf finds the parser for a path without its .gz or .zst. An error lists further formats
// that are read.
func parserOf(path string, further map[string]Format) (func([]byte) (layout, error), error) {
	ext := strings.ToLower(filepath.Ext(path))
	if p, ok := parsers[ext]; ok {
		return p, nil
	}
	if ext == "" {
		return nil, fmt.Errorf("the name has no extension that tells the format: want one of %s, also with .gz or .zst", readable(further))
	}
	return nil, fmt.Errorf("unknown format %q: want one of %s, also with .gz or .zst%s", ext, readable(further), wayOut[ext])
}

// wayOut advises on formats that people have and knng does not read.
var wayOut = map[string]string{
	".parquet": "; save its vectors as an array: numpy.save('x.npy', numpy.stack(pandas.read_parquet('x.parquet')['NAME']))",
	".arrow":   wayOutOfArrow,
	".feather": wayOutOfArrow,
	".ipc":     wayOutOfArrow,
	".h5":      wayOutOfHDF5,
	".hdf5":    wayOutOfHDF5,
	".h5ad":    "; save its vectors as an array: numpy.save('x.npy', anndata.read_h5ad('x.h5ad').obsm['X_pca'])",
	".ivecs":   "; its numbers are int32: save them as float32",
	".pkl":     "; save its array by numpy.save",
	".pt":      "; save its tensor by numpy.save('x.npy', tensor.numpy())",
	".mat":     "; save its array: numpy.save('x.npy', scipy.io.loadmat('x.mat')['NAME'])",
}

const wayOutOfHDF5 = "; save its vectors as an array: numpy.save('x.npy', h5py.File('x.h5')['NAME'][:]), where list(h5py.File('x.h5')) has the names"

const wayOutOfArrow = "; save its vectors as an array: numpy.save('x.npy', numpy.stack(pandas.read_feather('x.arrow')['NAME']))"

func checkDim(dim int64, at int) error {
	if dim < 1 || dim > MaxDim {
		return fmt.Errorf("dimension %d at byte %d, want 1 to %d", dim, at, MaxDim)
	}
	return nil
}

// vecs reads TexMex files: before each row its dimension as int32.
func vecs(t Type) func([]byte) (layout, error) {
	return func(data []byte) (layout, error) {
		if len(data) < 4 {
			return layout{}, fmt.Errorf("%d bytes, too short for one row", len(data))
		}
		dim := int64(int32(binary.LittleEndian.Uint32(data)))
		if err := checkDim(dim, 0); err != nil {
			return layout{}, err
		}
		return layout{n: unknown, dim: int(dim), typ: t, offset: 4, stride: 4 + int(dim)*t.Size(), prefixed: true}, nil
	}
}

// bin reads big-ann files: u32 n, u32 dim, rows.
func bin(t Type) func([]byte) (layout, error) {
	return func(data []byte) (layout, error) {
		if len(data) < 8 {
			return layout{}, fmt.Errorf("%d bytes, too short for the header of 8", len(data))
		}
		n, dim := int64(binary.LittleEndian.Uint32(data)), int64(binary.LittleEndian.Uint32(data[4:]))
		if err := checkDim(dim, 4); err != nil {
			return layout{}, err
		}
		return layout{n: int(n), dim: int(dim), typ: t, offset: 8, stride: int(dim) * t.Size()}, nil
	}
}

// grouped writes a number with commas between thousands.
func grouped(n int) string {
	s := []byte(strconv.Itoa(n))
	var parts [][]byte
	for len(s) > 3 {
		parts = append([][]byte{s[len(s)-3:]}, parts...)
		s = s[:len(s)-3]
	}
	return string(bytes.Join(append([][]byte{s}, parts...), []byte(",")))
}
