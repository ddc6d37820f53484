package recall

import (
	"fmt"
	"math"

	"github.com/knng/knng/vectors/distance"
)

// coarse is the tolerance for a pair whose distance was computed in low precision, as a share of the list's
// largest distance. Most distances of wrong pairs are off by more.
const coarse = 1.0 / 256

// Verify compares the distances of the truth with keys computed from the rows; for Auto, on each scale that
// they may have. If the distances of a list are not those of its row to its neighbors, the list belongs to
// another row, or was made from other data or with another metric: the error is ErrScale and names list and
// pair.
func (t *Truth) Verify(metric distance.Metric, distances TruthDistances, key func(row, neighbor uint32) (float32, error)) error {
	keys := make([]float32, len(t.Neighbors))
	for i, row := range t.Rows {
		for j := range t.K {
			var err error
			if keys[i*t.K+j], err = key(row, t.Neighbors[i*t.K+j]); err != nil {
				return err
			}
		}
	}
	scales, err := t.scales(metric, distances)
	if err != nil {
		return err
	}
	for _, sc := range scales {
		e := t.verifyAll(sc, keys)
		if e == nil {
			return nil
		}
		if sc.exponent == scales[0].exponent { // told of rows as they were given
			err = e
		}
	}
	return err
}

// verifyAll compares every list with its keys.
func (t *Truth) verifyAll(sc scale, keys []float32) error {
	for i := range t.Rows {
		neighbors, distances := t.List(i)
		largest := 0.0
		for j, d := range distances {
			largest = max(largest, math.Abs(sc.key(d)), math.Abs(float64(keys[i*t.K+j])))
		}
		for j, d := range distances {
			own := keys[i*t.K+j]
			if math.Abs(sc.key(d)-float64(own)) > coarse*largest+sc.plus {
				return fmt.Errorf("%w: %s: list %d (row %d), neighbor %d at byte %d: row %d at distance %g, which is %.6g by the rows: is the list of another row, or the metric or the data another?",
					ErrScale, t.name, i, t.Rows[i], j, matrixHeader+4*(len(t.Neighbors)+i*t.K+j), neighbors[j], d, sc.distance(own))
			}
		}
	}
	return nil
}
