package plot

import (
	"fmt"
	"math"

	gonum "gonum.org/v1/plot"
)

// steps marks a linear axis at multiples of 1, 2 or 5 times a power of ten, some
// five to ten of them: every one has its number.
type steps struct{}

// Ticks makes steps a Ticker.
func (steps) Ticks(lo, hi float64) (ticks []gonum.Tick) {
	if !(hi > lo) {
		return nil
	}
	step := math.Pow(10, math.Floor(math.Log10((hi-lo)/5)))
	for _, m := range []float64{5, 2} {
		if (hi-lo)/(m*step) >= 4.999 {
			step *= m
			break
		}
	}
	// The sum makes 0 of -0.
	for i := math.Ceil(lo/step-1e-9) + 0; i*step <= hi+1e-9*step; i++ {
		ticks = append(ticks, gonum.Tick{Value: i * step, Label: fmt.Sprintf("%.6g", i*step)})
	}
	return ticks
}
