package vectors

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"strings"
)

// An Array reads the elements of a .npy stream in the order in which they stand, whatever the
// shape. A truncated stream is an error that counts the elements.
type Array struct {
	Shape []int64 // elements along each dimension; none: one element

	descr string
	from  number
	r     *bufio.Reader
	raw   []byte
	read  int64 // elements
	all   int64
}

// NewArray reads the header of a .npy stream.
func NewArray(r io.Reader) (*Array, error) {
	a := &Array{r: bufio.NewReaderSize(r, headerBytes), all: 1}
	head, err := a.r.Peek(headerBytes)
	if err != nil && err != io.EOF {
		return nil, err
	}
	h, err := readNpyHeader(head)
	if err != nil {
		return nil, err
	}
	if _, err := a.r.Discard(h.offset); err != nil {
		return nil, err
	}
	a.Shape, a.descr = h.shape, h.descr
	for _, n := range a.Shape {
		if n < 0 || n > 0 && a.all > math.MaxInt64/n {
			return nil, fmt.Errorf("shape %s, want numbers of elements", h.shapeText)
		}
		a.all *= n
	}
	return a, nil
}

// Len is the number of elements.
func (a *Array) Len() int64 { return a.all }

// next reads the bytes of n elements.
func (a *Array) next(n int) ([]byte, error) {
	if a.from.kind == 0 {
		var err error
		if a.from, err = npyNumber(a.descr); err != nil {
			return nil, err
		}
	}
	if int64(n) > a.all-a.read {
		return nil, fmt.Errorf("elements %d to %d asked, it has %d", a.read, a.read+int64(n), a.all)
	}
	if size := n * a.from.size; cap(a.raw) < size {
		a.raw = make([]byte, size)
	}
	a.raw = a.raw[:n*a.from.size]
	got, err := io.ReadFull(a.r, a.raw)
	if err == io.EOF || err == io.ErrUnexpectedEOF {
		return nil, fmt.Errorf("truncated: it ends in element %d of %d", a.read+int64(got/a.from.size), a.all)
	}
	a.read += int64(n)
	return a.raw, err
}

// Floats reads the next elements as float64, integers only where float64 holds them.
func (a *Array) Floats(dst []float64) error {
	raw, err := a.next(len(dst))
	if err != nil {
		return err
	}
	for i := range dst {
		src := raw[i*a.from.size:]
		switch n := a.from; {
		case n.kind == 'f' && n.size == 4 && !n.big:
			dst[i] = float64(math.Float32frombits(binary.LittleEndian.Uint32(src)))
		case n.kind == 'f' && n.size == 4:
			dst[i] = float64(math.Float32frombits(uint32(n.bits(src))))
		case n.kind == 'f' && n.size == 8:
			dst[i] = math.Float64frombits(n.bits(src))
		case n.kind == 'f':
			dst[i] = float64(Float16ToFloat32(uint16(n.bits(src))))
		case n.kind == 'b':
			dst[i] = float64(min(1, src[0]))
		default:
			x, err := n.integer(src)
			if dst[i] = float64(x); err == nil && int64(dst[i]) != x {
				err = fmt.Errorf("%d has more digits than float64 holds", x)
			}
			if err != nil {
				return fmt.Errorf("element %d: %w", a.read-int64(len(dst)-i), err)
			}
		}
	}
	return nil
}

// Integers reads the next elements, which must be integers.
func (a *Array) Integers(dst []int64) error {
	raw, err := a.next(len(dst))
	if err != nil {
		return err
	}
	if a.from.kind != 'i' && a.from.kind != 'u' {
		return fmt.Errorf("elements of type %s, want integers", a.descr)
	}
	for i := range dst {
		if dst[i], err = a.from.integer(raw[i*a.from.size:]); err != nil {
			return fmt.Errorf("element %d: %w", a.read-int64(len(dst)-i), err)
		}
	}
	return nil
}

// integer is a whole number, below 2^63.
func (n number) integer(src []byte) (int64, error) {
	bits := n.bits(src)
	if n.kind == 'i' {
		shift := 64 - 8*n.size
		return int64(bits<<shift) >> shift, nil
	}
	if bits > math.MaxInt64 {
		return 0, fmt.Errorf("%d is beyond int64", bits)
	}
	return int64(bits), nil
}

// Text reads an array of one string, of bytes (S) or of characters (U).
func (a *Array) Text() (string, error) {
	kind := strings.TrimLeft(a.descr, "<>|=")
	if a.all != 1 || kind == "" || kind[0] != 'S' && kind[0] != 'U' {
		return "", fmt.Errorf("%d elements of type %s, want one string", a.all, a.descr)
	}
	const most = 1 << 10
	raw, err := io.ReadAll(io.LimitReader(a.r, most+1))
	if err == nil && len(raw) > most {
		err = errors.New("a string of more than 1024 bytes")
	}
	return strings.ReplaceAll(string(raw), "\x00", ""), err
}
