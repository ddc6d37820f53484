package living_test

import (
	"errors"
	"math"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"testing"

	"github.com/knng/knng/builder"
	"github.com/knng/knng/store"
	"github.com/knng/knng/store/living"
	"github.com/knng/knng/vectors"
)

// TestSource: a source reads any range of the live rows, of the base and put since, and gives the
// lists that these have in the graph, dead rows left out.
func TestSource(t *testing.T) {
	dir, rows := builtStore(t, 300, 3)
	db := open(t, dir)
	must(t, db.Update(func(tx *living.Tx) error {
		for i := range 1100 {
			must(t, second(tx.Put("", rows[(i*7)%300])))
		}
		for i := 0; i < 300; i += 9 {
			must(t, tx.DeleteRow(store.Row(i)))
		}
		return tx.DeleteRow(303)
	}))
	must(t, db.Integrate(t.Context()))
	v := view(t, db)
	src := v.Source()
	live := slices.Collect(v.Rows())
	if src.Len() != len(live) || v.State().Layered == 0 {
		t.Fatalf("%d rows, want %d; %+v", src.Len(), len(live), v.State())
	}
	buf, values := make([]byte, 4*3*len(live)), make([]float32, 3)
	base := len(live) - 1099
	for _, r := range [][2]int{{0, 1}, {0, base}, {base - 5, base + 5}, {base, len(live)}, {0, len(live)}, {17, 17}} {
		must(t, src.ReadRows(r[0], buf[:12*(r[1]-r[0])]))
		for i := r[0]; i < r[1]; i++ {
			want, err := v.Vector(live[i], nil)
			must(t, err)
			vectors.Decode(vectors.Float32, buf[12*(i-r[0]):][:12], values)
			if !slices.Equal(values, want) {
				t.Fatalf("rows %v: row %d is %v, want %v", r, i, values, want)
			}
		}
	}
	at := map[store.Row]uint32{}
	for i, row := range live {
		at[row] = uint32(i)
	}
	whole, missing := 0, 0
	for i, row := range live {
		near, keys, err := src.Near(uint32(i), []uint32{7}, []float32{8, 9})
		must(t, err)
		if near[0] != 7 || keys[1] != 9 || len(keys) != len(near)+1 {
			t.Fatal("Near appends")
		}
		mine, err := v.Vector(row, nil)
		must(t, err)
		for j, n := range near[1:] {
			other, err := v.Vector(live[n], nil)
			must(t, err)
			sum := 0.0
			for d := range mine {
				sum += float64(mine[d]-other[d]) * float64(mine[d]-other[d])
			}
			if key := float64(keys[2+j]); key < 0.999*sum || key > 1.001*sum+1e-6 {
				t.Fatalf("the key of %d and %d is %v, want about %v", row, live[n], key, sum)
			}
		}
		list, err := v.Neighbors(row, nil)
		must(t, err)
		for _, n := range list {
			whole++
			if !slices.Contains(near[1:], at[n.Row]) {
				missing++ // found by a search, or pending
			}
		}
	}
	if missing > whole/4 {
		t.Errorf("%d of %d entries of lists are not near", missing, whole)
	}
}

// TestSourceOfBytes: keys of bytes are exact, those of layers and of rows put since too: a merge takes
// them as they are.
func TestSourceOfBytes(t *testing.T) {
	const n, dim = 300, 20
	rng := rand.New(rand.NewPCG(5, 6))
	data := make([]byte, n*dim)
	for i := range data {
		data[i] = byte(rng.IntN(256))
	}
	in, err := vectors.RowsOf(data, n, dim, dim, vectors.Uint8)
	must(t, err)
	dir := filepath.Join(t.TempDir(), "g")
	must(t, second(builder.Build(t.Context(), dir, vectors.NewInput(in), builder.Options{K: 8, Threads: 1})))
	db := open(t, dir)
	put := func(count int) {
		must(t, db.Update(func(tx *living.Tx) error {
			for range count {
				row := make([]float32, dim)
				for i := range row {
					row[i] = float32(rng.IntN(256))
				}
				must(t, second(tx.Put("", row)))
			}
			return tx.DeleteRow(store.Row(count))
		}))
	}
	put(1100)
	must(t, db.Integrate(t.Context()))
	put(40)
	v := view(t, db)
	if st := v.State(); st.Layered == 0 || st.Pending == 0 {
		t.Fatalf("%+v", st)
	}
	src, live, pairs := v.Source(), slices.Collect(v.Rows()), 0
	for i, row := range live {
		near, keys, err := src.Near(uint32(i), nil, nil)
		must(t, err)
		mine, err := v.Vector(row, nil)
		must(t, err)
		for j, other := range near {
			theirs, err := v.Vector(live[other], nil)
			must(t, err)
			sum := float32(0)
			for d := range mine {
				sum += (mine[d] - theirs[d]) * (mine[d] - theirs[d])
			}
			if pairs++; keys[j] != sum {
				t.Fatalf("the key of %d and %d is %v, want %v", row, live[other], keys[j], sum)
			}
		}
	}
	if pairs < 5*len(live) {
		t.Errorf("%d entries of %d rows", pairs, len(live))
	}
}

// TestRowsOutOfRange: rows that a source or a graph does not have are errors.
func TestRowsOutOfRange(t *testing.T) {
	dir, _ := builtStore(t, 20, 4)
	v := reader(t, dir)
	src := v.Source()
	g, err := v.Graph()
	must(t, err)
	for _, row := range []int{-1, 20, math.MaxInt} {
		_, id := g.ID(store.Row(row))
		_, _, near := src.Near(uint32(row), nil, nil)
		_, named := src.ID(row)
		for what, err := range map[string]error{
			"Graph.ID": id, "Source.Near": near, "Source.ID": named, "Source.ReadRows": src.ReadRows(row, make([]byte, 16)),
		} {
			if !errors.Is(err, store.ErrNoRow) {
				t.Errorf("%s of row %d: %v", what, row, err)
			}
		}
	}
	if err := src.ReadRows(19, make([]byte, 2*16)); !errors.Is(err, store.ErrNoRow) {
		t.Errorf("rows beyond the last: %v", err)
	}
}
