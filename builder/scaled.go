package builder

import (
	"fmt"
	"strconv"

	"github.com/knng/knng/store"
	"github.com/knng/knng/vectors"
)

// scale is the power of two by which rows are multiplied before anything is computed of
// them. All passes, and the store, have the scaled rows; only shown distances and queries
// are of the rows as given (package store).
type scale struct {
	exponent int
	tiny     bool // every element is denormal
}

// scaled is the input as it is compared: src itself for all but rows so small or large that
// float32 does not hold squares of their differences. Rows that a build in dir has dropped
// cannot be read again: the store there knows.
func scaled(dir string, src *vectors.Input, o *Options) (*vectors.Input, scale, error) {
	if err := buildable(src, o); err != nil || o.Distance != nil {
		return src, scale{}, err
	}
	var s scale
	err := vectors.Guard(func() (err error) {
		s.exponent, s.tiny, err = vectors.ScaleOf(src)
		return err
	})
	if err != nil {
		if m, known := begunIn(dir); known {
			s.exponent, err = m.Scale(), nil
		}
	}
	if err == nil && s.exponent != 0 && o.Reference {
		err = fmt.Errorf("%w: rows whose squares float32 does not hold must be scaled by 2^%d: let the store copy them", ErrReference, s.exponent)
	}
	return vectors.Scaled(src, s.exponent), s, err
}

// begunIn is the manifest of the store at dir, where there is one.
func begunIn(dir string) (m store.Manifest, known bool) {
	if dir == "" { // a plan
		return m, false
	}
	if p, err := store.ProgressOf(dir); err == nil {
		return p.Manifest, true
	}
	s, err := store.Open(dir, nil)
	if err != nil {
		return m, false
	}
	defer s.Close()
	return s.Info().Manifest, true
}

// options are those of the manifest: none for rows that stay as they are.
func (s scale) options() []store.Option {
	if s.exponent == 0 {
		return nil
	}
	return []store.Option{{Name: store.ScaleOption, Value: strconv.Itoa(s.exponent)}}
}

// tell says that rows were scaled, and what they may be.
func (s scale) tell(say func(format string, args ...any)) {
	if s.exponent != 0 {
		say("rows are scaled by 2^%d, so that float32 holds squares of their differences; distances are shown as of the input", s.exponent)
	}
	if s.tiny {
		say("all values are below the smallest normal float32 (1.2e-38): these are probably integers read as floats")
	}
}
