package search

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"github.com/knng/knng/bench/capped"
	"github.com/knng/knng/builder"
	"github.com/knng/knng/store"
	"github.com/knng/knng/vectors"
)

// making names the store that a process of TestMemoryOfMaking makes rows and links of, and the limit.
const making = "KNNG_TEST_MAKING"

const madeRows, madeDim, madeK = 300_000, 160, 10

// TestMemoryOfMaking: a process that makes the copy of the rows, links in their order and codes takes no more anonymous memory, beside
// that of a process that opens the store, than 14 bytes a row and the limit, or 40 MiB where that is more, and the codes.
func TestMemoryOfMaking(t *testing.T) {
	if told := os.Getenv(making); told != "" {
		made(t, told)
		return
	}
	if testing.Short() {
		t.Skip("builds 300,000 rows: runs without -short")
	}
	dir := manyInOrder(t)
	none := heldBy(t, dir, 0)
	for _, limit := range []int64{1 << 20, 52 << 20} {
		os.RemoveAll(filepath.Dir(RowsPath(dir)))
		held := heldBy(t, dir, limit) - none
		most := max(limit, 40<<20) + 14*madeRows
		t.Logf("limit %d MiB: %.1f MiB of %.1f, beside %.1f of the process", limit>>20, float64(held)/(1<<20), float64(most)/(1<<20), float64(none)/(1<<20))
		if held > most {
			t.Errorf("limit %d: %d bytes of anonymous memory, at most %d", limit, held, most)
		}
	}
}

// manyInOrder is a store by parts, of rows most of which are near one point, so that balls of them are large.
func manyInOrder(t *testing.T) (dir string) {
	rows, err := vectors.FromFunc(madeRows, madeDim, func(i int, row []float32) error {
		rng := rand.New(rand.NewPCG(9, uint64(i)))
		center := max(0, rng.IntN(300)-270)
		for j := range row {
			row[j] = float32((center*(j+3)*7)%200 + rng.IntN(40))
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	dir = filepath.Join(t.TempDir(), "g")
	if _, err := builder.Build(t.Context(), dir, vectors.NewInput(rows), builder.Options{K: madeK, Method: builder.Parts, Divisions: 1}); err != nil {
		t.Fatal(err)
	}
	return dir
}

// heldBy is the most anonymous memory of a process that makes all within a limit; 0 has it open the store alone.
func heldBy(t *testing.T, dir string, limit int64) int64 {
	t.Setenv(making, fmt.Sprintf("%d %s", limit, dir))
	c := capped.Config{Args: []string{os.Args[0], "-test.run=^TestMemoryOfMaking$"}}
	o, err := c.Run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if how, failed := o.Failed(); failed {
		t.Fatalf("%s: %s", how, o.Errors)
	}
	return o.PeakAnon
}

// made is the process.
func made(t *testing.T, told string) {
	var limit int64
	var dir string
	if _, err := fmt.Sscan(told, &limit, &dir); err != nil {
		t.Fatal(err)
	}
	g, err := store.Open(dir, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer g.Close()
	if limit == 0 {
		return
	}
	o := &Options{Threads: 2, Limit: limit, Budget: 18 * madeRows}
	s := searcher(t, g, *o)
	if state := s.State(); !state.RowsFrom.Made || !state.Made || !state.CodesFrom.Made {
		t.Fatalf("%+v", state)
	}
}
