package vectors

import (
	"encoding/binary"
	"fmt"
	"math"
)

// number is the type of the elements of a file, where rows hold another: a NumPy kind (f, i, u or
// b), its size in bytes, and its byte order.
type number struct {
	kind byte
	size int
	big  bool // the most significant byte first
}

// held is the type that rows hold such numbers in.
func (n number) held() (t Type, ok bool) {
	switch {
	case n.kind == 'b' && n.size == 1, n.kind == 'u' && n.size == 1:
		return Uint8, true
	case n.kind == 'i' && n.size == 1:
		return Int8, true
	case n.kind == 'f' && n.size == 2:
		return Float16, true
	case n.kind == 'f' && (n.size == 4 || n.size == 8), n.kind == 'i' && n.whole(), n.kind == 'u' && n.whole():
		return Float32, true
	}
	return 0, false
}

// whole reports whether integers of the size are read.
func (n number) whole() bool { return n.size == 2 || n.size == 4 || n.size == 8 }

// same reports whether rows hold the numbers as they stand.
func (n number) same() bool {
	switch n.kind {
	case 'f':
		return n.size < 8 && !n.big
	case 'i', 'u':
		return n.size == 1
	}
	return n.kind == 0 // of formats that hold what rows do
}

// convert fills dst, a row, from src, the numbers of the row.
func (n number) convert(dst, src []byte) error {
	t, _ := n.held()
	to := t.Size()
	for j := range len(src) / n.size {
		if err := n.one(dst[j*to:], src[j*n.size:]); err != nil {
			return fmt.Errorf("column %d: %w", j, err)
		}
	}
	return nil
}

// one converts one number. Those that float32 does not hold are an error: beyond it, or
// whole and not whole any more.
func (n number) one(dst, src []byte) error {
	bits := n.bits(src)
	switch {
	case n.size == 1 && n.kind == 'b':
		dst[0] = min(1, src[0])
	case n.size == 1:
		dst[0] = src[0]
	case n.kind == 'f' && n.size == 2:
		binary.LittleEndian.PutUint16(dst, uint16(bits))
	case n.kind == 'f' && n.size == 4:
		binary.LittleEndian.PutUint32(dst, uint32(bits))
	case n.kind == 'f':
		return narrow(dst, math.Float64frombits(bits))
	case n.kind == 'i':
		shift := 64 - 8*n.size
		return exactly(dst, int64(bits<<shift)>>shift)
	default:
		return exactlyUnsigned(dst, bits)
	}
	return nil
}

// bits are those of a number, in the low bytes.
func (n number) bits(src []byte) (bits uint64) {
	switch {
	case n.size == 8 && !n.big: // by far the most
		return binary.LittleEndian.Uint64(src)
	case n.big:
		for _, b := range src[:n.size] {
			bits = bits<<8 | uint64(b)
		}
		return bits
	}
	for i, b := range src[:n.size] {
		bits |= uint64(b) << (8 * i)
	}
	return bits
}

// narrow writes a float64 as float32.
func narrow(dst []byte, x float64) error {
	f := float32(x)
	if math.IsInf(float64(f), 0) && !math.IsInf(x, 0) {
		return fmt.Errorf("%g is beyond float32", x)
	}
	binary.LittleEndian.PutUint32(dst, math.Float32bits(f))
	return nil
}

// exactly writes a whole number as float32, if that holds it.
func exactly(dst []byte, x int64) error {
	f := float32(x)
	if f >= 1<<63 || int64(f) != x {
		return fmt.Errorf("%d has more digits than float32 holds, as which whole numbers of more than a byte are read: if rounding them does no harm, save x.astype('float32')", x)
	}
	binary.LittleEndian.PutUint32(dst, math.Float32bits(f))
	return nil
}

func exactlyUnsigned(dst []byte, x uint64) error {
	f := float32(x)
	if f >= 1<<64 || uint64(f) != x {
		return fmt.Errorf("%d has more digits than float32 holds, as which whole numbers of more than a byte are read: if rounding them does no harm, save x.astype('float32')", x)
	}
	binary.LittleEndian.PutUint32(dst, math.Float32bits(f))
	return nil
}
