package points

import (
	"math"
	"sync"

	"github.com/knng/knng/vectors"
)

// vanish caches KeysVanish.
type vanish struct {
	once sync.Once
	do   bool
}

// leastTold is a magnitude from which two different float32 have a squared difference above 0: they are at
// least 2^-73 apart.
const leastTold = 1.0 / (1 << 49)

// KeysVanish reports whether different rows may have the key 0, because some elements are so near to zero.
func (ps *Points) KeysVanish() bool {
	ps.vanish.once.Do(func() { ps.vanish.do = ps.nearZero() })
	return ps.vanish.do
}

func (ps *Points) nearZero() bool {
	if ps.Space.Type() != vectors.Float32 {
		return false // a half is at least 2^-24, and so is the difference of two
	}
	row := make([]float32, ps.Rows.Dim())
	for i := range ps.Rows.Len() {
		ps.Space.Float32(ps.Rows.Row(i), row)
		for _, x := range row {
			if x != 0 && math.Abs(float64(x)) < leastTold {
				return true
			}
		}
	}
	return false
}
