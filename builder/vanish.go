package builder

import (
	"math"
	"sync"

	"github.com/knng/knng/vectors"
)

// vanish is whether keys vanish, once it is known.
type vanish struct {
	once sync.Once
	do   bool
}

// leastTold is a float32 above which no two that differ have a square of their difference
// that rounds to nothing: they are 2^-73 apart.
const leastTold = 1.0 / (1 << 49)

// keysVanish reports whether rows that differ may have the key 0: whether elements come so
// near zero.
func (ps *points) keysVanish() bool {
	ps.vanish.once.Do(func() { ps.vanish.do = ps.nearZero() })
	return ps.vanish.do
}

func (ps *points) nearZero() bool {
	if ps.space.Type() != vectors.Float32 {
		return false // a half is at least 2^-24, and so is what two of them differ by
	}
	row := make([]float32, ps.rows.Dim())
	for i := range ps.rows.Len() {
		ps.space.Float32(ps.rows.Row(i), row)
		for _, x := range row {
			if x != 0 && math.Abs(float64(x)) < leastTold {
				return true
			}
		}
	}
	return false
}
