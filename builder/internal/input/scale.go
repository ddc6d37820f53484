package input

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/knng/knng/store"
	"github.com/knng/knng/vectors"
	"github.com/knng/knng/vectors/distance"
)

// Scale is the change of rows before anything is computed: offsets are subtracted from the columns of float64
// rows, and rows are multiplied by a power of two. All passes and the store have the scaled rows; only shown
// distances and queries are of the given rows (package store).
type Scale struct {
	Exponent int
	offsets  []float64 // nil: none
	rounding vectors.Rounding
	tiny     bool // every element is denormal
}

// Scaled returns the input in the form in which it is compared. That is src itself, unless rows are so small
// or large that float32 does not hold squares of their differences, or float64 rows have values that are
// close together and far from zero. Rows that a build in dir has dropped cannot be read again; then the store
// there has the scale.
func Scaled(dir string, src *vectors.Input, o Options) (*vectors.Input, Scale, error) {
	if err := Check(src, o); err != nil || o.Own {
		return src, Scale{}, err
	}
	var s Scale
	err := vectors.Guard(func() error { return s.find(src, o) })
	if err != nil {
		if m, known := begunIn(dir); known {
			s.Exponent, s.offsets, err = m.Scale(), m.Offsets, nil
		}
	}
	if err == nil && s.Exponent != 0 && o.Reference {
		err = fmt.Errorf("%w: rows whose squares float32 does not hold must be scaled by 2^%d: let the store copy them", ErrReference, s.Exponent)
	}
	if err == nil && s.offsets != nil && o.Reference {
		err = fmt.Errorf("%w: float64 rows whose values float32 does not tell apart are held less an offset: let the store copy them", ErrReference)
	}
	return vectors.Scaled(vectors.Centered(src, s.offsets), s.Exponent), s, err
}

// find reads a sample of the rows.
func (s *Scale) find(src *vectors.Input, o Options) (err error) {
	if s.offsets, err = offsetsOf(src, o.Metric); err != nil {
		return err
	}
	if s.rounding, err = vectors.RoundingOf(src, s.offsets); err != nil {
		return err
	}
	if r := s.rounding; r.Vanish {
		element := fmt.Sprintf("%g", r.Element)
		if s.offsets != nil && s.offsets[r.Column] != 0 {
			element += fmt.Sprintf(" less the offset %g", s.offsets[r.Column])
		}
		return vectors.Refused(fmt.Errorf("builder: row %d, column %d: %s is 0 as float32, and so is every element of %d rows that were looked at: multiply all rows by a power of two",
			r.Row, r.Column, element, r.Rows))
	}
	if o.Scale != nil {
		s.Exponent = *o.Scale
		return nil
	}
	s.Exponent, s.tiny, err = vectors.ScaleOf(vectors.Centered(src, s.offsets))
	return err
}

// offsetsOf returns offsets that change no distance: if keys depend only on differences, any row may be
// subtracted from all, under correlation one number from all elements.
func offsetsOf(src *vectors.Input, m distance.Metric) ([]float64, error) {
	switch {
	case m.Differences():
		return vectors.OffsetsOf(src)
	case m == distance.Correlation:
		if offset, err := vectors.OffsetOf(src); offset != 0 || err != nil {
			return slices.Repeat([]float64{offset}, src.Dim()), err
		}
	}
	return nil, nil
}

// begunIn returns the manifest of the store at dir, if there is one.
func begunIn(dir string) (m store.Manifest, known bool) {
	if dir == "" { // only a plan
		return m, false
	}
	if p, err := store.ProgressOf(dir); err == nil {
		return p.Manifest, true
	}
	s, err := store.Open(dir, &store.Options{AsBuilt: true})
	if err != nil {
		return m, false
	}
	defer s.Close()
	return s.Info().Manifest, true
}

// Record records in the manifest how rows were changed, and nothing if they were not.
func (s Scale) Record(m *store.Manifest) {
	m.Offsets = s.offsets
	if s.Exponent != 0 {
		m.Options = append(m.Options, store.Option{Name: store.ScaleOption, Value: strconv.Itoa(s.Exponent)})
	}
}

// Tell reports how rows were changed, and that they may be integers.
func (s Scale) Tell(say func(format string, args ...any)) {
	if s.offsets != nil {
		say("%s held less an offset, so that float32 tells the values of float64 apart", columnsOf(s.offsets))
	}
	if r := s.rounding; r.Error != 0 {
		say("float64 is rounded to float32: in a sample of %d rows by at most %.2g (row %d, column %d: %g)", r.Rows, r.Error, r.Row, r.Column, r.Element)
	}
	if s.Exponent != 0 {
		say("rows are scaled by 2^%d, so that float32 holds squares of their differences; distances are shown as of the input", s.Exponent)
	}
	if s.tiny {
		say("all values are below the smallest normal float32 (1.2e-38): these are probably integers read as floats")
	}
}

// columnsOf names the columns with an offset; if they are many, only the first ones.
func columnsOf(offsets []float64) string {
	var names []string
	for j, o := range offsets {
		if o != 0 {
			names = append(names, strconv.Itoa(j))
		}
	}
	switch few := 8; {
	case len(names) == 1:
		return "column " + names[0] + " is"
	case len(names) <= few:
		return "columns " + strings.Join(names, ", ") + " are"
	default:
		return fmt.Sprintf("%d columns (%s, ...) are", len(names), strings.Join(names[:few], ", "))
	}
}
