package product

import (
	"encoding/binary"
	"fmt"
	"math"
	"slices"
)

const (
	// Centers is the number of centers of a part.
	Centers = 256
	// groups of centers reduce the comparisons for a code from 256 to about fifty.
	groups = 16
	tried  = 3 // groups whose centers are compared
)

// A Quantizer turns rows of float32 into codes. It is immutable.
type Quantizer struct {
	dim    int
	parts  []part
	levels []float32 // values of a byte after the parts, ascending; nil if there is none
}

// A part is a range of consecutive elements.
type part struct {
	from, width int
	centers     []float32 // Centers of width elements
	middles     []float32 // of groups
	members     [groups][]uint8
}

// newQuantizer returns a quantizer without centers. The widths of parts differ by at most one.
func newQuantizer(dim, parts int) *Quantizer {
	q := &Quantizer{dim: dim, parts: make([]part, parts)}
	for i := range q.parts {
		from, to := i*dim/parts, (i+1)*dim/parts
		q.parts[i] = part{from: from, width: to - from, centers: make([]float32, Centers*(to-from))}
	}
	return q
}

// Dim returns the number of elements of a row.
func (q *Quantizer) Dim() int { return q.dim }

// Bytes returns the length of a code.
func (q *Quantizer) Bytes() int {
	if q.levels != nil {
		return len(q.parts) + 1
	}
	return len(q.parts)
}

// Size returns the size of the encoded centers, and of levels if there are any.
func Size(dim int, levels bool) int {
	if levels {
		dim++
	}
	return 4 * Centers * dim
}

// Append appends the centers.
func (q *Quantizer) Append(dst []byte) []byte {
	for i := range q.parts {
		for _, x := range q.parts[i].centers {
			dst = binary.LittleEndian.AppendUint32(dst, math.Float32bits(x))
		}
	}
	for _, x := range q.levels {
		dst = binary.LittleEndian.AppendUint32(dst, math.Float32bits(x))
	}
	return dst
}

// Parse is the inverse of Append, for codes of so many bytes; the last byte names a level if there are
// levels.
func Parse(data []byte, dim, bytes int, levels bool) (*Quantizer, error) {
	parts := bytes
	if levels {
		parts--
	}
	if dim < 1 || parts < 1 || parts > dim || len(data) != Size(dim, levels) {
		return nil, fmt.Errorf("product: %d bytes of centers for %d parts of %d elements", len(data), parts, dim)
	}
	q := newQuantizer(dim, parts)
	for i := range q.parts {
		for j := range q.parts[i].centers {
			x := math.Float32frombits(binary.LittleEndian.Uint32(data))
			if x-x != 0 {
				return nil, fmt.Errorf("product: a center of part %d is %v", i, x)
			}
			q.parts[i].centers[j], data = x, data[4:]
		}
		q.parts[i].group()
	}
	for ; len(data) > 0; data = data[4:] {
		x := math.Float32frombits(binary.LittleEndian.Uint32(data))
		if last := len(q.levels) - 1; x-x != 0 || last >= 0 && x < q.levels[last] {
			return nil, fmt.Errorf("product: level %d is %v", last+1, x)
		}
		q.levels = append(q.levels, x)
	}
	return q, nil
}

// Decode writes the row that a code represents: the centers that it names.
func (q *Quantizer) Decode(code []byte, row []float32) {
	for i := range q.parts {
		p := &q.parts[i]
		copy(row[p.from:p.from+p.width], p.centers[int(code[i])*p.width:])
	}
}

// Level returns the level nearest to a value.
func (q *Quantizer) Level(x float32) byte {
	i, _ := slices.BinarySearch(q.levels, x)
	switch {
	case i == len(q.levels), i > 0 && x-q.levels[i-1] <= q.levels[i]-x:
		i--
	}
	return byte(i)
}

// Encode writes the code of a row.
func (q *Quantizer) Encode(row []float32, code []byte) {
	for i := range q.parts {
		p := &q.parts[i]
		code[i] = p.code(row[p.from : p.from+p.width])
	}
}

// code returns about the nearest center: the nearest in the nearest groups.
func (p *part) code(x []float32) (best uint8) {
	var near [tried]int
	var far [tried]float32
	for i := range far {
		far[i] = math.MaxFloat32
	}
	for g := range groups {
		d := squared(x, p.middles[g*p.width:][:p.width])
		for i := range far {
			if d < far[i] {
				copy(far[i+1:], far[i:])
				copy(near[i+1:], near[i:])
				far[i], near[i] = d, g
				break
			}
		}
	}
	least := float32(math.MaxFloat32)
	for i, g := range near {
		if far[i] == math.MaxFloat32 {
			break
		}
		for _, c := range p.members[g] {
			if d := squared(x, p.centers[int(c)*p.width:][:p.width]); d < least || d == least && c < best {
				best, least = c, d
			}
		}
	}
	return best
}

// squared rounds after each product, so that the result is the same on machines that fuse products and sums.
func squared(x, y []float32) (sum float32) {
	y = y[:len(x)]
	for i, a := range x {
		d := a - y[i]
		sum += float32(d * d)
	}
	return sum
}
