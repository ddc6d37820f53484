package vectors

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// layout says where the rows of a mapped file stand.
type layout struct {
	n, dim   int
	typ      Type
	offset   int // of the first element of row 0
	stride   int
	float64s bool // elements are float64, converted to float32 as they are read
	prefixed bool // an int32 dimension stands before every row
}

// parsers by extension. Each is given the beginning of a file, its header at
// least, and says what that promises.
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
		return layout{}, fmt.Errorf("%s bytes of data after the header of %d, want %d rows of %d bytes", grouped(rest), l.offset, l.n, l.stride)
	}
	return l, nil
}

// extensions lists the formats, sorted, for messages.
func extensions() string {
	var list []string
	for e := range parsers {
		list = append(list, e)
	}
	slices.Sort(list)
	return strings.Join(list, " ")
}

// parserOf finds the parser for a path without its .gz or .zst.
func parserOf(path string) (func([]byte) (layout, error), error) {
	ext := strings.ToLower(filepath.Ext(path))
	if p, ok := parsers[ext]; ok {
		return p, nil
	}
	if ext == "" {
		return nil, fmt.Errorf("its name has no extension, which tells the format: want one of %s, also with .gz or .zst", extensions())
	}
	return nil, fmt.Errorf("unknown format %q: want one of %s, also with .gz or .zst%s", ext, extensions(), wayOut[ext])
}

// wayOut says what to do about formats that people have and knng does not read.
var wayOut = map[string]string{
	".csv":     wayOutOfText,
	".tsv":     wayOutOfText,
	".txt":     wayOutOfText,
	".npz":     "; save its array by numpy.save",
	".parquet": "; save its vectors as an array by numpy.save",
	".ivecs":   "; its numbers are int32: save them as float32",
}

const wayOutOfText = "; read text with numpy.loadtxt and save it by numpy.save"

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

const npyMagic = "\x93NUMPY"

// npy reads NumPy files of versions 1 to 3: a two-dimensional array in C order.
func npy(data []byte) (layout, error) {
	header, offset, err := npyHeader(data)
	if err != nil {
		return layout{}, err
	}
	l := layout{offset: offset}
	if l.typ, l.float64s, err = npyType(npyField(header, "descr")); err != nil {
		return layout{}, err
	}
	if order := npyField(header, "fortran_order"); order != "False" {
		return layout{}, fmt.Errorf("fortran_order is %s, want False: save it with numpy.ascontiguousarray", order)
	}
	n, dim, err := npyShape(npyField(header, "shape"))
	if err != nil {
		return layout{}, err
	}
	if err := checkDim(dim, 10); err != nil {
		return layout{}, err
	}
	size := l.typ.Size()
	if l.float64s {
		size = 8
	}
	if n < 0 {
		return layout{}, fmt.Errorf("shape of %d rows, want 0 or more", n)
	}
	l.n, l.dim, l.stride = int(n), int(dim), int(dim)*size
	return l, nil
}

// lookOf tells what data seems to be instead.
func lookOf(data []byte) string {
	for magic, what := range map[string]string{
		"\x1f\x8b":         ", but with that of gzip: a file whose name ends in .gz is unpacked",
		"\x28\xb5\x2f\xfd": ", but with that of zstd: a file whose name ends in .zst is unpacked",
		"PK\x03\x04":       ", but with that of zip, and perhaps .npz: save its array by numpy.save",
	} {
		if bytes.HasPrefix(data, []byte(magic)) {
			return what
		}
	}
	return ""
}

// npyHeader returns the dictionary text and where the data begin.
func npyHeader(data []byte) (header string, offset int, err error) {
	if len(data) < 12 || string(data[:6]) != npyMagic {
		return "", 0, errors.New("does not begin with the magic of .npy" + lookOf(data))
	}
	var length int
	switch major := data[6]; major {
	case 1:
		length, offset = int(binary.LittleEndian.Uint16(data[8:])), 10
	case 2, 3:
		length, offset = int(binary.LittleEndian.Uint32(data[8:])), 12
	default:
		return "", 0, fmt.Errorf(".npy version %d, want 1 to 3", major)
	}
	if length > len(data)-offset {
		return "", 0, fmt.Errorf("header of %d bytes at byte %d, but the file has %d", length, offset, len(data))
	}
	return string(data[offset : offset+length]), offset + length, nil
}

// npyField cuts the value of a key out of the header dictionary, which NumPy
// writes as a Python literal.
func npyField(header, key string) string {
	_, rest, ok := strings.Cut(header, "'"+key+"':")
	if !ok {
		return "missing"
	}
	rest = strings.TrimSpace(rest)
	if strings.HasPrefix(rest, "(") {
		value, _, _ := strings.Cut(rest, ")")
		return value + ")"
	}
	if strings.HasPrefix(rest, "[") { // a structured type: shown whole in the error
		value, _, _ := strings.Cut(rest, "]")
		return value + "]"
	}
	value, _, _ := strings.Cut(rest, ",")
	return strings.Trim(strings.TrimSpace(value), "'}")
}

func npyType(descr string) (t Type, float64s bool, err error) {
	switch descr {
	case "<f4":
		return Float32, false, nil
	case "<f2":
		return Float16, false, nil
	case "<f8":
		return Float32, true, nil
	case "|u1", "u1", "<u1":
		return Uint8, false, nil
	case "|i1", "i1", "<i1":
		return Int8, false, nil
	}
	wayOut := ""
	if len(descr) > 1 && strings.ContainsRune("biuf", rune(descr[1])) { // numbers
		wayOut = ": save it by astype('<f4')"
	}
	return 0, false, fmt.Errorf("elements of type %s, want little-endian f2, f4, f8, u1 or i1%s", descr, wayOut)
}

func npyShape(shape string) (n, dim int64, err error) {
	parts := strings.Split(strings.Trim(shape, "() "), ",")
	if last := len(parts) - 1; last > 0 && strings.TrimSpace(parts[last]) == "" {
		parts = parts[:last]
	}
	if len(parts) != 2 {
		return 0, 0, fmt.Errorf("shape %s, want two dimensions: rows and elements", shape)
	}
	if n, err = strconv.ParseInt(strings.TrimSpace(parts[0]), 10, 64); err == nil {
		dim, err = strconv.ParseInt(strings.TrimSpace(parts[1]), 10, 64)
	}
	if err != nil {
		return 0, 0, fmt.Errorf("shape %s: %w", shape, err)
	}
	return n, dim, nil
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
