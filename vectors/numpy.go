package vectors

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"strconv"
	"strings"
)

const npyMagic = "\x93NUMPY"

// npy reads NumPy files of versions 1 to 3: a two-dimensional array of numbers.
func npy(data []byte) (layout, error) {
	h, err := readNpyHeader(data)
	if err != nil {
		return layout{}, err
	}
	from, err := npyNumber(h.descr)
	if err != nil {
		return layout{}, err
	}
	l := layout{offset: h.offset, from: from}
	l.typ, _ = from.held()
	if len(h.shape) != 2 {
		return layout{}, fmt.Errorf("shape %s, want two dimensions: rows and elements", h.shapeText)
	}
	n, dim := h.shape[0], h.shape[1]
	if dim < 1 || dim > MaxDim {
		return layout{}, fmt.Errorf("shape %s: rows of %d elements, want 1 to %d", h.shapeText, dim, MaxDim)
	}
	if n < 0 {
		return layout{}, fmt.Errorf("shape of %d rows, want 0 or more", n)
	}
	l.n, l.dim, l.stride = int(n), int(dim), int(dim)*from.size
	l.fortran = h.fortran && n > 1 && dim > 1
	return l, nil
}

// npyHeader is the dictionary before the data.
type npyHeader struct {
	descr     string
	fortran   bool
	shape     []int64
	shapeText string
	offset    int // of the data
}

func readNpyHeader(data []byte) (h npyHeader, err error) {
	text, offset, err := npyText(data)
	if err != nil {
		return h, err
	}
	h.offset = offset
	fields := npyFields(text)
	field := func(key string) string {
		if value, ok := fields[key]; ok {
			return value
		}
		return "missing"
	}
	h.descr, h.shapeText = strings.Trim(field("descr"), `'"`), field("shape")
	switch order := field("fortran_order"); order {
	case "True", "1":
		h.fortran = true
	case "False", "0":
	default:
		return h, fmt.Errorf("fortran_order is %s, want True or False", order)
	}
	h.shape, err = npyShape(h.shapeText)
	return h, err
}

// npyText returns the dictionary and where the data begin.
func npyText(data []byte) (header string, offset int, err error) {
	if len(data) < 12 || string(data[:6]) != npyMagic {
		return "", 0, errors.New("not a .npy file" + lookOf(data))
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

// lookOf names the format that data seems to have instead.
func lookOf(data []byte) string {
	for magic, what := range map[string]string{
		"\x1f\x8b":         ", but one of gzip: a file whose name ends in .gz is unpacked",
		"\x28\xb5\x2f\xfd": ", but one of zstd: a file whose name ends in .zst is unpacked",
		"PK\x03\x04":       ", but one of zip, perhaps .npz: give it that name, or save its array by numpy.save",
		"\x89HDF":          ", but one of HDF5: save its vectors as an array by numpy.save",
		"PAR1":             ", but one of Parquet: give it the name .parquet",
	} {
		if bytes.HasPrefix(data, []byte(magic)) {
			return what
		}
	}
	return ""
}

// npyFields cuts the dictionary, a Python literal, into its values as they stand: keys may
// be quoted in either way, and spaces be anywhere.
func npyFields(text string) map[string]string {
	fields := map[string]string{}
	rest := strings.TrimSpace(text)
	rest = strings.TrimSpace(strings.TrimPrefix(rest, "{"))
	for {
		if rest == "" || rest[0] != '\'' && rest[0] != '"' {
			return fields
		}
		key, after, ok := strings.Cut(rest[1:], rest[:1])
		if !ok {
			return fields
		}
		after, ok = strings.CutPrefix(strings.TrimSpace(after), ":")
		if !ok {
			return fields
		}
		value, after := literal(strings.TrimSpace(after))
		fields[key] = strings.TrimSpace(value)
		rest = strings.TrimSpace(strings.TrimPrefix(strings.TrimSpace(after), ","))
	}
}

// literal cuts a value off a text: up to a comma or the end of the dictionary that is in no
// brackets and no quotes.
func literal(text string) (value, rest string) {
	depth, quote := 0, byte(0)
	for i := range len(text) {
		switch c := text[i]; {
		case quote != 0:
			if c == quote {
				quote = 0
			}
		case c == '\'' || c == '"':
			quote = c
		case c == '(' || c == '[':
			depth++
		case c == ')' || c == ']':
			depth--
		case depth == 0 && (c == ',' || c == '}'):
			return text[:i], text[i:]
		}
	}
	return text, ""
}

// npyNumber reads the type of elements: an order of bytes, a kind and a size.
func npyNumber(descr string) (number, error) {
	kinds := descr
	big := strings.HasPrefix(kinds, ">")
	kinds = strings.TrimLeft(kinds, "<>|=")
	if len(kinds) > 1 && len(descr)-len(kinds) <= 1 {
		size, err := strconv.Atoi(kinds[1:])
		n := number{kinds[0], size, big}
		if _, ok := n.held(); ok && err == nil {
			return n, nil
		}
	}
	return number{}, fmt.Errorf("elements of type %s, want f2, f4, f8, u1, u2, u4, u8, i1, i2, i4, i8 or bool%s", descr, elementsHint(kinds))
}

// elementsHint advises on a type of elements that is not read.
func elementsHint(kinds string) string {
	switch {
	case kinds == "O":
		return "; these are Python objects: if they are numbers, save x.astype('float32')"
	case strings.HasPrefix(kinds, "c"):
		return "; these are complex numbers: save x.real, x.imag or numpy.abs(x)"
	case len(kinds) > 1 && strings.ContainsRune("US", rune(kinds[0])):
		return "; these are texts: if they are numbers, save x.astype('float32')"
	case len(kinds) > 1 && strings.ContainsRune("biuf", rune(kinds[0])):
		return ": save it by astype('<f4')"
	}
	return ""
}

// npyShape reads a tuple of whole numbers.
func npyShape(text string) (shape []int64, err error) {
	inner, ok := strings.CutPrefix(text, "(")
	inner, closed := strings.CutSuffix(inner, ")")
	if !ok || !closed {
		return nil, fmt.Errorf("shape %s, want a tuple of whole numbers", text)
	}
	for part := range strings.SplitSeq(inner, ",") {
		if part = strings.TrimSuffix(strings.TrimSpace(part), "L"); part == "" { // behind the last; L is of Python 2
			continue
		}
		n, err := strconv.ParseInt(part, 10, 64)
		if err != nil {
			return nil, fmt.Errorf("shape %s: %w", text, err)
		}
		shape = append(shape, n)
	}
	return shape, nil
}
