package recall

import (
	"fmt"
	"math"

	"github.com/knng/knng/vectors/distance"
)

// coarse is a share of a list's largest distance by which a pair may be off whose distance
// was computed in low precision. That of another pair is off by more, but for a few of a list.
const coarse = 1.0 / 256

// Verify holds the distances of the truth against keys computed of the rows; for Auto, on
// each scale that they may have. A list whose distances are not those of its row to its
// neighbors is that of another row, or was made of other data or by another metric:
// ErrScale, which names list and pair.
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

// verifyAll holds every list against its keys.
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
