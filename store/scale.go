package store

import (
	"fmt"
	"math"
	"strconv"

	"github.com/knng/knng/vectors/distance"
)

// ScaleOption is the option of a manifest that says by which power of two, as its exponent,
// the rows of the input were multiplied, so that float32 holds squares of their
// differences. Stores without it have the rows as they were. Keys and the stored rows are
// of scaled rows; shown distances are of the input's.
const ScaleOption = "scale"

// Scale is the exponent of the power of two by which the rows were multiplied; 0 for most
// stores.
func (m *Manifest) Scale() int {
	exponent, _ := strconv.Atoi(m.option(ScaleOption)) // check has looked at it
	return exponent
}

// checkScale refuses a scale that no build writes.
func (m *Manifest) checkScale() error {
	value := m.option(ScaleOption)
	if value == absent {
		return nil
	}
	if exponent, err := strconv.Atoi(value); err != nil || exponent < -256 || exponent > 256 {
		return fmt.Errorf("%w: manifest: scale %q, want an exponent of -256 to 256", ErrCorrupt, value)
	}
	return nil
}

// shown is the distance of the input's rows under a key of rows scaled by 2 to the
// exponent.
func shown(m distance.Metric, key float32, exponent int) float32 {
	switch m {
	case distance.Euclidean:
		return float32(math.Ldexp(math.Sqrt(float64(key)), -exponent))
	case distance.SqEuclidean, distance.IP:
		return float32(math.Ldexp(float64(key), -2*exponent))
	}
	return m.Shown(key)
}
