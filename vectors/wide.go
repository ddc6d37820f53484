package vectors

import (
	"encoding/binary"
	"fmt"
	"math"
	"slices"
)

// Rows of float64 are held as float32. If the values of a column are close together and far from
// zero, as coordinates in metres and times in seconds are, float32 would merge them. So an offset is
// subtracted from such a column first, in float64. Differences of rows, and so euclidean distances,
// stay the same.

// Wide is a source of float64 rows that are read as float32: its elements may have more digits than
// its type holds.
type Wide interface {
	Source
	// ReadWide is ReadRows without rounding: dst holds whole rows of Dim elements.
	ReadWide(first int, dst []float64) error
}

// WideOf returns src as a Wide source, if it is one.
func WideOf(src Source) (w Wide, ok bool) {
	if in, ok := src.(*Input); ok {
		src = in.Source
	}
	switch s := src.(type) {
	case *fileSource:
		return s, s.wide()
	case *concatenation:
		return s, slices.ContainsFunc(s.parts, (*fileSource).wide)
	}
	w, ok = src.(Wide)
	return w, ok
}

// float64s is the number of elements of files whose rows are wide.
var float64s = number{kind: 'f', size: 8}

// wide reports whether the file holds float64.
func (s *fileSource) wide() bool { return s.from.kind == 'f' && s.from.size == 8 }

// ReadWide reads rows of any file whose rows are float32 without rounding them.
func (s *fileSource) ReadWide(first int, dst []float64) error {
	n := len(dst) / s.dim
	if first < 0 || n > s.n-first || n*s.dim != len(dst) {
		return fmt.Errorf("vectors: %s: rows %d to %d asked, it has %d", s.path, first, first+n, s.n)
	}
	from := s.from
	if from.kind == 0 { // rows of float32 as they are
		from = number{kind: 'f', size: 4}
	}
	if err := s.fetch(first, n); err != nil {
		return err
	}
	column, row := from.size, s.stride
	if s.fortran {
		column, row = s.n*from.size, from.size
	}
	fault := guard(func() {
		for i := range n {
			at := s.offset + (first+i)*row
			for j := range s.dim {
				dst[i*s.dim+j] = from.float64(s.m.data[at+j*column:])
			}
		}
	})
	if fault != nil {
		return fmt.Errorf("%w: %s, rows %d to %d", fault, s.path, first, first+n)
	}
	return nil
}

// ReadWide reads rows of all files.
func (c *concatenation) ReadWide(first int, dst []float64) error {
	for _, s := range c.parts {
		if first >= s.n {
			first -= s.n
			continue
		}
		n := min(s.n-first, len(dst)/s.dim)
		if n == 0 {
			return nil
		}
		if err := s.ReadWide(first, dst[:n*s.dim]); err != nil {
			return err
		}
		first, dst = 0, dst[n*s.dim:]
	}
	if len(dst) > 0 {
		return fmt.Errorf("vectors: %d elements asked beyond the last row of %d", len(dst), c.n)
	}
	return nil
}

// float64 is the number at the beginning of src, not rounded.
func (n number) float64(src []byte) float64 {
	bits := n.bits(src)
	switch {
	case n.kind == 'f' && n.size == 8:
		return math.Float64frombits(bits)
	case n.kind == 'f' && n.size == 4:
		return float64(math.Float32frombits(uint32(bits)))
	case n.kind == 'i':
		shift := 64 - 8*n.size
		return float64(int64(bits<<shift) >> shift)
	}
	return float64(bits)
}

// offsetBits is the number of bits that an offset must gain to be used: the values of a column
// lie 2^offsetBits times as far from zero as from their median. Wrong if smaller: columns of
// ordinary embeddings would get offsets that gain a bit. Wrong if larger: with 10, degrees
// of a town (40.75, 0.001 apart) were held with 8 bits less than float32 has.
const offsetBits = 3

// OffsetsOf returns an offset for each column of a wide source: 0 for a column that needs none, nil if
// no column needs one. An offset is the median of a sample of 1,024 rows. A column needs one if most of
// its sample is close to the median and float32 does not hold its values. The result depends on the
// rows alone.
func OffsetsOf(src Source) ([]float64, error) {
	sample, err := wideSample(src)
	if err != nil || len(sample) == 0 {
		return nil, err
	}
	offsets, any := make([]float64, src.Dim()), false
	column := make([]float64, 0, len(sample))
	for j := range offsets {
		column = column[:0]
		for _, row := range sample {
			if x := row[j]; x-x == 0 {
				column = append(column, x)
			}
		}
		offsets[j] = offsetOf(column)
		any = any || offsets[j] != 0
	}
	if !any {
		return nil, nil
	}
	return offsets, nil
}

// OffsetOf returns one offset for all columns of a wide source, found in the same way; 0 if none is
// needed. It suits distances that do not change when a number is added to all elements of a row, such
// as correlation.
func OffsetOf(src Source) (float64, error) {
	sample, err := wideSample(src)
	if err != nil {
		return 0, err
	}
	var values []float64
	for _, row := range sample {
		for _, x := range row {
			if x-x == 0 {
				values = append(values, x)
			}
		}
	}
	return offsetOf(values), nil
}

// offsetOf returns the offset of a column with these values. It sorts them.
func offsetOf(column []float64) float64 {
	if !slices.ContainsFunc(column, func(x float64) bool { return float64(float32(x)) != x }) {
		return 0
	}
	slices.Sort(column)
	median := column[len(column)/2]
	var apart []float64
	for _, x := range column {
		if d := math.Abs(x - median); d > 0 {
			apart = append(apart, d)
		}
	}
	if len(apart) == 0 {
		return 0
	}
	slices.Sort(apart)
	if math.Abs(median) < apart[len(apart)/2]*(1<<offsetBits) {
		return 0
	}
	return median
}

// wideSample returns up to 1,024 evenly spread rows of a wide source; none of another source.
func wideSample(src Source) (sample [][]float64, err error) {
	w, ok := WideOf(src)
	if !ok || src.Len() == 0 {
		return nil, nil
	}
	for i := 0; i < src.Len(); i += max(1, src.Len()/scaleSample) {
		row := make([]float64, src.Dim())
		if err := w.ReadWide(i, row); err != nil {
			return nil, err
		}
		sample = append(sample, row)
	}
	return sample, nil
}

// A Rounding is the largest difference between an element and its float32 in a sample of rows.
type Rounding struct {
	Rows        int     // of the sample; 0 where the source is not wide
	Row, Column int     // of the element
	Element     float64 // its value
	Error       float64 // absolute; 0 where float32 holds all of them
	Vanish      bool    // all elements of the sample are 0 as float32, though this one is not 0
}

// RoundingOf measures, on a sample, how much a wide source loses when it is rounded to float32, after
// offsets (nil for none) are subtracted.
func RoundingOf(src Source, offsets []float64) (r Rounding, err error) {
	sample, err := wideSample(src)
	if err != nil {
		return r, err
	}
	r.Rows = len(sample)
	step, held := max(1, src.Len()/scaleSample), false
	for i, row := range sample {
		for j, x := range row {
			y := x
			if offsets != nil {
				y -= offsets[j]
			}
			if e := math.Abs(y - float64(float32(y))); e > r.Error { // not of infinities and NaN
				r.Row, r.Column, r.Element, r.Error = i*step, j, x, e
			}
			held = held || float32(y) != 0
		}
	}
	r.Vanish = !held && r.Error > 0
	return r, nil
}

// Centered returns src with an offset subtracted from each column, in float64. nil offsets change
// nothing. The result has the files of src, which must stay open. The offsets come from OffsetsOf, of
// src or of a source with the same columns. The elements of a source that is not wide are read as
// float32.
func Centered(src *Input, offsets []float64) *Input {
	if offsets == nil {
		return src
	}
	return &Input{Source: CenteredRows(src, offsets), Files: src.Files}
}

// CenteredRows is Centered for any source. The result is of float32.
func CenteredRows(src Source, offsets []float64) Source {
	c := centered{Source: src, offsets: offsets}
	if in, ok := src.(*Input); ok {
		c.Source, c.files = in.Source, in.Files
	}
	return c
}

type centered struct {
	Source
	offsets []float64
	files   []File // of the source, for errors
}

func (centered) Type() Type { return Float32 }

func (c centered) ReadRows(first int, dst []byte) error {
	wide := make([]float64, len(dst)/4)
	if err := c.read(first, wide); err != nil {
		return err
	}
	for i, x := range wide {
		y := x - c.offsets[i%len(c.offsets)]
		if err := narrow(dst[4*i:], y); err != nil {
			return Refused(fmt.Errorf("vectors: %s, column %d: %g less the offset %g of the graph's rows: %w",
				RowName(c.files, first+i/len(c.offsets)), i%len(c.offsets), x, c.offsets[i%len(c.offsets)], err))
		}
	}
	return nil
}

// read fills dst with rows, not rounded where they are wide.
func (c centered) read(first int, dst []float64) error {
	if w, ok := WideOf(c.Source); ok {
		return w.ReadWide(first, dst)
	}
	t, dim := c.Source.Type(), c.Dim()
	raw, values := make([]byte, len(dst)*t.Size()), make([]float32, dim)
	if err := c.Source.ReadRows(first, raw); err != nil {
		return err
	}
	for i := 0; i < len(dst); i += dim {
		Decode(t, raw[i*t.Size():(i+dim)*t.Size()], values)
		for j, x := range values {
			dst[i+j] = float64(x)
		}
	}
	return nil
}

// widen fills dst, float64 elements of a row, from src, numbers of the row. One beyond float32
// is an error.
func (n number) widen(dst, src []byte) error {
	if n.kind == 0 {
		n = number{kind: 'f', size: 4}
	}
	for j := range len(src) / n.size {
		x := n.float64(src[j*n.size:])
		if math.IsInf(float64(float32(x)), 0) && !math.IsInf(x, 0) {
			return fmt.Errorf("column %d: %g is beyond float32", j, x)
		}
		binary.LittleEndian.PutUint64(dst[8*j:], math.Float64bits(x))
	}
	return nil
}
