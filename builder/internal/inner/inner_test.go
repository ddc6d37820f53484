package inner

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/knng/knng/builder/internal/candidates"
	"github.com/knng/knng/builder/internal/job"
	"github.com/knng/knng/builder/internal/offheap"
	"github.com/knng/knng/builder/leaf"
	"github.com/knng/knng/vectors"
	"github.com/knng/knng/vectors/distance"
)

// kinds are rows of which inner products are hard each in its own way.
var kinds = map[string]func(rng *rand.Rand, i int, row []float32){
	"lengths": func(rng *rand.Rand, _ int, row []float32) {
		size := math.Exp(2 * rng.NormFloat64())
		for j := range row {
			row[j] = float32(size * rng.NormFloat64())
		}
	},
	"all negative": func(rng *rand.Rand, i int, row []float32) { // every row has the best products with short ones
		for j := range row {
			row[j] = float32(0.1 * rng.NormFloat64() * float64(j%2))
		}
		row[0] = float32(1 - 2*(i%2))
	},
	"zeros": func(rng *rand.Rand, i int, row []float32) {
		for j := range row {
			row[j] = float32(rng.IntN(3)-1) * float32(i%3)
		}
	},
	"one row": func(_ *rand.Rand, _ int, row []float32) { row[1] = 2 },
	"tiny and huge": func(rng *rand.Rand, i int, row []float32) {
		for j := range row {
			row[j] = float32(rng.NormFloat64() * math.Pow(10, float64(i%30-15)))
		}
	},
}

const testDim, testK = 24, 5

// made are rows of a kind, in cells.
func made(t *testing.T, kind string, n int) (*Cells, Lists, leaf.Keys) {
	rng := rand.New(rand.NewPCG(uint64(n), 7))
	data := make([]float32, n*testDim)
	for i := range n {
		kinds[kind](rng, i, data[i*testDim:(i+1)*testDim])
	}
	bytes := make([]byte, 4*len(data))
	if err := vectors.Encode(vectors.Float32, data, bytes); err != nil {
		t.Fatal(err)
	}
	rows, err := vectors.RowsOf(bytes, n, testDim, 4*testDim, vectors.Float32)
	if err != nil {
		t.Fatal(err)
	}
	space, err := distance.New(distance.IP, vectors.Float32, testDim)
	if err != nil {
		t.Fatal(err)
	}
	c, err := Make(context.Background(), rows, space, Options{Seed: 1, Threads: 2, Memory: &offheap.Ledger{Limit: 1 << 16, Dir: t.TempDir()}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Free)
	keys := func(x uint32, ids []uint32, out []float32) (int, error) {
		space.Keys(rows.Row(int(x)), 0, rows.Base(), rows.Stride(), nil, ids, out)
		return len(ids), nil
	}
	lists := Lists{Found: candidates.New(n, testK, 1), Keys: func() leaf.Keys { return keys }, Threads: 2, Progress: func(int) {}}
	t.Cleanup(lists.Found.Free)
	return c, lists, keys
}

// exact are the least keys of a row.
func exact(t *testing.T, keys leaf.Keys, n, row int) []float32 {
	var ids []uint32
	for i := range uint32(n) {
		if int(i) != row {
			ids = append(ids, i)
		}
	}
	out := make([]float32, len(ids))
	if _, err := keys(uint32(row), ids, out); err != nil {
		t.Fatal(err)
	}
	slices.Sort(out)
	return out[:min(testK, len(out))]
}

// keysOf are those of the list of a row.
func keysOf(l *candidates.Lists, row int) (keys []float32) {
	for i := range l.Len(uint32(row)) {
		keys = append(keys, candidates.KeyOf(l.At(uint32(row), i).Distance()))
	}
	return keys
}

// TestAllCells: rows that look into all cells, in any steps, have exact lists.
func TestAllCells(t *testing.T) {
	for kind := range kinds {
		for _, n := range []int{7, 300, 1500} {
			c, lists, keys := made(t, kind, n)
			var pairs int64
			for from := 0; from < c.Len(); from += 2 {
				some, err := c.Look(context.Background(), lists, 0.3, from, from+2)
				if err != nil {
					t.Fatal(err)
				}
				pairs += some - int64(n*c.Len()) // less those with centers
			}
			if pairs != int64(n)*int64(n) {
				t.Errorf("%s, %d rows: %d pairs", kind, n, pairs)
			}
			for row := 0; row < n; row += 1 + n/100 {
				if got, want := keysOf(lists.Found, row), exact(t, keys, n, row); !slices.Equal(got, want) {
					t.Fatalf("%s, row %d of %d: %v, want %v", kind, row, n, got, want)
				}
			}
		}
	}
}

// TestStretches: rows whose lists are made some at a time have those that all have together.
func TestStretches(t *testing.T) {
	const n, width = 1500, 400
	c, all, _ := made(t, "lengths", n)
	if _, err := c.Look(context.Background(), all, 0.3, 0, 3); err != nil {
		t.Fatal(err)
	}
	for first := 0; first < n; first += width {
		some := all
		some.First, some.Found = first, candidates.New(min(width, n-first), testK, 1)
		if _, err := c.Look(context.Background(), some, 0.3, 0, 3); err != nil {
			t.Fatal(err)
		}
		for i := range uint32(some.Found.N) {
			if got, want := some.Found.Entries(i), all.Found.Entries(uint32(first)+i); !slices.Equal(got, want) {
				t.Fatalf("row %d: %v, want %v", first+int(i), got, want)
			}
		}
		some.Found.Free()
	}
}

// everyFew returns every so many-th of n places, and the lists that they have by now.
func everyFew(lists Lists, n, step int) (places []uint32, found [][]uint32) {
	for p := 0; p < n; p += step {
		var ids []uint32
		for _, e := range lists.Found.Entries(uint32(p)) {
			ids = append(ids, e.Place())
		}
		places, found = append(places, uint32(p)), append(found, ids)
	}
	return places, found
}

// TestForesee: the recall foreseen is the recall found.
func TestForesee(t *testing.T) {
	const n = 3000
	c, lists, keys := made(t, "lengths", n)
	if _, err := c.Look(context.Background(), lists, 0, 0, c.Len()); err != nil {
		t.Fatal(err)
	}
	places, exactLists := everyFew(lists, n, 50)
	f := c.Foresee(places, exactLists, 0.9)
	count, pairs := f.Cells(0.9)
	lists.Found.Clear(1)
	some, err := c.Look(context.Background(), lists, f.Reach, 0, count)
	if err != nil {
		t.Fatal(err)
	}
	if all := float64(n) * n / 2; float64(some) > all/2 {
		t.Errorf("%d pairs for recall 0.9, all are %v", some, all)
	}
	found := 0.0
	for _, p := range places {
		want := exact(t, keys, n, int(p))
		for _, key := range keysOf(lists.Found, int(p)) {
			if key <= want[testK-1] {
				found += 1 / float64(testK*len(places))
			}
		}
	}
	if found < 0.9 || math.Abs(found-f.recall[count]) > 1e-9 {
		t.Errorf("recall %v of %d cells, %v foreseen", found, count, f.recall[count])
	}
	if pairs > 1.5*float64(some)/n || pairs < 0.5*float64(some)/n {
		t.Errorf("%v pairs a row foreseen, %v found", pairs, float64(some)/n)
	}
}

// TestForeseenMargin: the standard error foreseen is that of the recalls found, and looks that it
// makes go on beyond all pairs are dear.
func TestForeseenMargin(t *testing.T) {
	const n = 1500
	c, lists, _ := made(t, "lengths", n)
	if _, err := c.Look(context.Background(), lists, 0, 0, c.Len()); err != nil {
		t.Fatal(err)
	}
	places, exactLists := everyFew(lists, n, 20)
	f := c.Foresee(places, exactLists, 0.9)
	for count := 1; count < c.Len(); count++ {
		lists.Found.Clear(1)
		if _, err := c.Look(context.Background(), lists, f.Reach, 0, count); err != nil {
			t.Fatal(err)
		}
		var sum, squares float64
		for i, p := range places {
			found := 0.0
			for _, e := range lists.Found.Entries(p) {
				if slices.Contains(exactLists[i], e.Place()) {
					found += 1.0 / testK
				}
			}
			sum, squares = sum+found, squares+found*found
		}
		m := float64(len(places))
		if want := math.Sqrt((squares/m - sum/m*sum/m) / (m - 1)); math.Abs(f.margin[count]-want) > 1e-6 {
			t.Errorf("%d cells: standard error %v foreseen, %v found", count, f.margin[count], want)
		}
	}
	sure := Course{Cells: 3, Foresight: &Foresight{recall: []float64{0, 0.95, 0.97, 1}, margin: []float64{0, 0, 0, 0}, pairs: []float64{3, 20, 80, 100}}}
	unsure := Course{Cells: 3, Foresight: &Foresight{recall: []float64{0, 0.95, 0.97, 1}, margin: []float64{0, 0.01, 0, 0}, pairs: []float64{3, 20, 80, 100}}}
	s, g := &job.State{Rows: 101}, &job.Goal{Recall: 0.95}
	if sure.Dear(s, g) || !unsure.Dear(s, g) {
		t.Errorf("dear: %v where recall is sure, %v where it is not", sure.Dear(s, g), unsure.Dear(s, g))
	}
}

// TestLooks: rows look into no more cells than there are, whatever decides.
func TestLooks(t *testing.T) {
	for name, c := range map[string]struct {
		course Course
		goal   job.Goal
	}{
		"divisions": {Course{Cells: 2}, job.Goal{Divisions: 16}},
		"plain":     {Course{Cells: 2}, job.Goal{}},
		"foreseen":  {Course{Cells: 2, Foresight: &Foresight{recall: []float64{0, 0.5, 1}, pairs: []float64{2, 4, 6}}}, job.Goal{Recall: 1}},
	} {
		if looks := c.course.Looks(&job.State{}, &c.goal); looks != 2 {
			t.Errorf("%s: rows look into %d of 2 cells", name, looks)
		}
	}
}

// TestCanceled: cells of a build that was stopped are not made.
func TestCanceled(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	rows, err := vectors.RowsOf(make([]byte, 4*testDim), 1, testDim, 4*testDim, vectors.Float32)
	if err != nil {
		t.Fatal(err)
	}
	space, err := distance.New(distance.IP, vectors.Float32, testDim)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := normsOf(ctx, rows, space, 1); err != context.Canceled {
		t.Errorf("error %v", err)
	}
}
