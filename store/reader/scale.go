package reader

import (
	"fmt"
	"strconv"
)

// ScaleOption names the option of a manifest with the exponent of the power of two by which
// the rows of the input were multiplied, so that float32 holds the squares of their
// differences. Without it the rows were compared as they are. Keys and the rows in a store
// are those of scaled rows; shown distances are those of the input.
const ScaleOption = "scale"

// MaxScale is the largest exponent, of either sign.
const MaxScale = 256

// Scale is the exponent of the power of two by which the rows were multiplied; 0 for most
// stores.
func (m *Manifest) Scale() int {
	value, _ := m.Option(ScaleOption)
	exponent, _ := strconv.Atoi(value) // Check has validated it
	return exponent
}

// checkScale refuses a scale that no build writes.
func (m *Manifest) checkScale() error {
	value, ok := m.Option(ScaleOption)
	if !ok {
		return nil
	}
	if exponent, err := strconv.Atoi(value); err != nil || exponent < -MaxScale || exponent > MaxScale {
		return fmt.Errorf("%w: manifest: scale %q, want an exponent of -%d to %[3]d", ErrCorrupt, value, MaxScale)
	}
	return nil
}
