package living_test

import (
	"errors"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"testing"

	"github.com/knng/knng/builder"
	"github.com/knng/knng/builder/rebuild"
	"github.com/knng/knng/store/living"
	"github.com/knng/knng/vectors"
)

// TestSizesOfRows: a store of rows around 1e30, which a build scales, takes more of them, finds them
// and compacts; rows that are far larger than those of a store are refused in words.
func TestSizesOfRows(t *testing.T) {
	const n, dim = 300, 4
	for _, size := range []float32{1, 1e30, 1e-30} {
		rng := rand.New(rand.NewPCG(5, 5))
		row := func(size float32) []float32 {
			v := make([]float32, dim)
			for i := range v {
				v[i] = size * (1 + rng.Float32())
			}
			return v
		}
		var data []float32
		for range n {
			data = append(data, row(size)...)
		}
		in, err := vectors.FromFloat32(data, dim)
		fine(t, err)
		dir := filepath.Join(t.TempDir(), "g")
		_, err = builder.Build(t.Context(), dir, vectors.NewInput(in), builder.Options{K: 5})
		fine(t, err)
		db, err := living.Open(dir, nil)
		fine(t, err)
		defer db.Close()
		put := row(size)
		fine(t, db.Update(func(tx *living.Tx) error {
			if size < 1e30 {
				if _, err := tx.Put("", row(size*1e30)); !errors.Is(err, living.ErrVector) || !strings.Contains(err.Error(), "build all rows anew") {
					t.Errorf("rows of %v take one of 1e30: %v", size, err)
				}
			}
			_, err := tx.Put("", put)
			return err
		}))
		for range 2 {
			v, err := db.View()
			fine(t, err)
			found, err := v.Search(put, living.Query{K: 3})
			fine(t, err)
			if len(found) != 3 || found[0].Row != n || found[0].Distance != 0 || !(found[1].Distance > 0 && found[1].Distance < 4*size) {
				t.Errorf("rows of %v: %v", size, found)
			}
			v.Close()
			fine(t, rebuild.Compact(t.Context(), db, rebuild.Options{}))
		}
	}
}
