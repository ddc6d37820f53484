// Package number writes numbers as JSON, which has no infinity: it is null there.
package number

import (
	"encoding/json"
	"math"
)

// Float32 is a distance. One that is too large for float32 is infinite, and null in JSON.
type Float32 float32

// MarshalJSON writes the number, or null.
func (f Float32) MarshalJSON() ([]byte, error) { return marshal(float32(f)) }

// Float64 is likewise a mean of distances.
type Float64 float64

// MarshalJSON writes the number, or null.
func (f Float64) MarshalJSON() ([]byte, error) { return marshal(float64(f)) }

func marshal[T float32 | float64](f T) ([]byte, error) {
	if x := float64(f); math.IsInf(x, 0) || math.IsNaN(x) {
		return []byte("null"), nil
	}
	return json.Marshal(f)
}
