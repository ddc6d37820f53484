package pairs

import (
	"context"
	"fmt"
	"math"

	"github.com/knng/knng/builder/leaf"
	"github.com/knng/knng/store"
)

// Distance is the user's own distance between two rows of the input, a < b.
type Distance struct {
	Name    string
	Version int
	Key     func(a, b store.Row) (float32, error)
}

// Keys returns one goroutine's function that computes every key between places. One key may take any time, so
// the build can stop between two of them.
func (d *Distance) Keys(ctx context.Context, order []uint32) leaf.Keys {
	return func(x uint32, ids []uint32, out []float32) (int, error) {
		for i, id := range ids {
			if err := ctx.Err(); err != nil {
				return i, err
			}
			a, b := store.Row(order[x]), store.Row(order[id])
			key, err := d.Key(min(a, b), max(a, b))
			if err := Checked(d.Name, key, err, a, b); err != nil {
				return i, err
			}
			out[i] = key
		}
		return len(ids), nil
	}
}

// Checked adds the distance and the rows to err, and returns an error for a key that has no order.
func Checked(name string, key float32, err error, a, b store.Row) error {
	if err == nil && (math.IsNaN(float64(key)) || math.IsInf(float64(key), 0)) {
		err = fmt.Errorf("value %v, want a finite number", key)
	}
	if err != nil {
		return fmt.Errorf("distance %s of rows %d and %d: %w", name, a, b, err)
	}
	return nil
}
