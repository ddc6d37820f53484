package plot

import (
	"fmt"
	"math"

	gonum "gonum.org/v1/plot"
)

// lacking is an axis of shares by the logarithm of one less the share: from 0.9 to 0.99
// is as far as from 0.99 to 0.999, and 1 is where the least that it tells apart would be.
type lacking struct{}

// leastLack is the least that counts.
const leastLack = 0.0005

func lack(share float64) float64 { return math.Log(max(1-share, leastLack)) }

// Normalize makes lacking a Normalizer.
func (lacking) Normalize(lo, hi, share float64) float64 {
	return (lack(lo) - lack(share)) / (lack(lo) - lack(hi))
}

// Ticks makes lacking a Ticker.
func (lacking) Ticks(lo, hi float64) (ticks []gonum.Tick) {
	for _, share := range []float64{0, 0.2, 0.4, 0.6, 0.7, 0.8, 0.9, 0.95, 0.98, 0.99, 0.995, 0.998, 1} {
		if share >= lo && share <= hi {
			ticks = append(ticks, gonum.Tick{Value: share, Label: fmt.Sprint(share)})
		}
	}
	return ticks
}
