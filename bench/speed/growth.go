package speed

import (
	"context"
	"fmt"
	"math"

	"github.com/knng/knng/bench/generate"
	"github.com/knng/knng/bench/judge"
	"github.com/knng/knng/bench/peers"
	"github.com/knng/knng/vectors"
	"github.com/knng/knng/vectors/distance"
)

const (
	uint8s  = vectors.Uint8
	float16 = vectors.Float16
)

// ballsSide is knng by the method whose growth is measured: small sets would be
// compared whole.
const ballsSide = "knng balls"

// Counts, dimensions and numbers of neighbors that growth is measured over.
var (
	rowCounts  = []int{100_000, 300_000, 1_000_000}
	dimensions = []int{128, 384, 784, 1024}
	lengths    = []int{1, 10, 20, 50, 100}
)

// growth measures time at equal recall over rows of SIFT, and over dimensions of
// generated sets made alike.
func (c *Config) growth(ctx context.Context) (all error) {
	const recall = 0.95
	settings := asking(map[string]any{"method": "balls"}, 0.93, 0.95, 0.97)
	fmt.Fprintf(c.Out, "\nSIFT, k = %d, --method balls, at recall %.2f\n\n| rows | rows to lists, s | million pairs | µs a row |\n|---|---|---|---|\n", c.K, recall)
	var logN, logS []float64
	for _, n := range rowCounts {
		set, err := c.set("sift")
		if err != nil {
			return err
		}
		if n < 1_000_000 || c.Limit > 0 {
			set.Limit = n
		}
		if c.Limit > 0 {
			set.Limit = n * c.Limit / rowCounts[len(rowCounts)-1]
		}
		err = c.on(ctx, set, c.K, settings, func(r *peers.Runner, points []peers.Point) {
			s := at(points, ballsSide, recall)
			fmt.Fprintf(c.Out, "| %d | %.2f | %.0f | %.1f |\n", r.Len(), s, comparisons(points), 1e6*s/float64(r.Len()))
			if s > 0 {
				logN, logS = append(logN, math.Log(float64(r.Len()))), append(logS, math.Log(s))
			}
		})
		if budget(&all, err) {
			return all
		}
	}
	if len(logN) > 1 {
		fmt.Fprintf(c.Out, "\nTime grows as rows to the power of %.3f\n", slope(logN, logS))
	}
	fmt.Fprintf(c.Out, "\nGenerated sets of uint8, k = %d, --method balls, at recall %.2f\n\n| rows | dimensions | rows to lists, s | million pairs | ns a pair and dimension |\n|---|---|---|---|---|\n", c.K, recall)
	for _, dim := range dimensions {
		set, err := c.made(ctx, 100_000, dim, uint8s)
		if err != nil {
			return err
		}
		err = c.on(ctx, set, c.K, settings, func(r *peers.Runner, points []peers.Point) {
			s, pairs := at(points, ballsSide, recall), comparisons(points)
			fmt.Fprintf(c.Out, "| %d | %d | %.2f | %.0f | %.4f |\n", r.Len(), r.Dim(), s, pairs, 1e3*s/pairs/float64(r.Dim()))
		})
		if budget(&all, err) {
			return all
		}
	}
	return all
}

// comparisons is how many million pairs the run nearest to 0.95 compared.
func comparisons(points []peers.Point) (millions float64) {
	best := math.Inf(1)
	for _, p := range points {
		if off := math.Abs(p.Recall.Recall - 0.95); p.Side() == ballsSide && p.Build != nil && off < best {
			best, millions = off, float64(p.Build.Comparisons)/1e6
		}
	}
	return millions
}

// slope is that of the straight line of least squares.
func slope(x, y []float64) float64 {
	var mx, my, xy, xx float64
	for i := range x {
		mx, my = mx+x[i]/float64(len(x)), my+y[i]/float64(len(x))
	}
	for i := range x {
		xy, xx = xy+(x[i]-mx)*(y[i]-my), xx+(x[i]-mx)*(x[i]-mx)
	}
	return xy / xx
}

// neighbors measures time over the length of lists, on SIFT.
func (c *Config) neighbors(ctx context.Context) (all error) {
	const recall = 0.98
	set, err := c.set("sift")
	if err != nil {
		return err
	}
	fmt.Fprintf(c.Out, "\nSIFT at recall %.2f\n\n| k | rows to lists, s | times k = 20 |\n|---|---|---|\n", recall)
	times := make([]float64, len(lengths))
	base := 0.0
	for i, k := range lengths {
		err = c.on(ctx, set, k, asking(nil, 0.97, 0.98, 0.99), func(_ *peers.Runner, points []peers.Point) {
			times[i] = at(points, peers.Ours, recall)
			if k == 20 {
				base = times[i]
			}
		})
		if budget(&all, err) {
			return all
		}
	}
	for i, k := range lengths {
		ratio := "-"
		if base > 0 && times[i] > 0 {
			ratio = fmt.Sprintf("%.2f", times[i]/base)
		}
		fmt.Fprintf(c.Out, "| %d | %.2f | %s |\n", k, times[i], ratio)
	}
	return all
}

// dimension prints the intrinsic dimension of a set.
func (c *Config) dimension(ctx context.Context, set peers.Set) error {
	in, err := vectors.Open([]string{set.Path}, nil)
	if err != nil {
		return err
	}
	defer in.Close()
	rows, ok := in.Mapped()
	if !ok {
		return fmt.Errorf("speed: %s cannot be mapped", set.Path)
	}
	j, err := judge.Sampled(ctx, rows, distance.Euclidean, 100, 200, 1)
	if err != nil {
		return err
	}
	d := generate.Estimate(len(j.Rows()), j.Exact)
	fmt.Fprintf(c.Out, "\n%s (seed 1): intrinsic dimension %.1f (median, maximum likelihood, k = 100, %d rows)\n", set.Name, d.Median, d.Rows)
	return nil
}
