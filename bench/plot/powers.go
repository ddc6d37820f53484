package plot

import (
	"fmt"
	"math"

	gonum "gonum.org/v1/plot"
)

// powers marks a logarithmic axis: 1, 2 and 5 times the powers of ten, fewer on a
// long axis.
type powers struct{}

// Ticks makes powers a Ticker.
func (powers) Ticks(lo, hi float64) (ticks []gonum.Tick) {
	if lo <= 0 || hi <= lo {
		return nil
	}
	decades := math.Log10(hi / lo)
	for e := math.Floor(math.Log10(lo)); e <= math.Ceil(math.Log10(hi)); e++ {
		for m := 1.0; m < 10; m++ {
			value := m * math.Pow(10, e)
			if value < lo*0.999 || value > hi*1.001 {
				continue
			}
			label := ""
			if m == 1 || decades < 3 && (m == 2 || m == 5) || decades < 0.7 {
				label = fmt.Sprintf("%.4g", value)
			}
			ticks = append(ticks, gonum.Tick{Value: value, Label: label})
		}
	}
	return ticks
}
