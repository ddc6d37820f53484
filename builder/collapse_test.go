package builder_test

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/knng/knng/builder"
	"github.com/knng/knng/store"
	"github.com/knng/knng/vectors"
	"github.com/knng/knng/vectors/distance"
)

// withCopies makes rows of which about percent are copies of earlier ones, and
// tells the first with the same values for each.
func withCopies(rng *rand.Rand, n, dim, percent int) (data []float32, first []int) {
	data, first = clustered(rng.Uint64(), n, dim), make([]int, n)
	for i := range n {
		first[i] = i
		if i > 0 && rng.IntN(100) < percent {
			from := rng.IntN(i)
			if percent < 100 && rng.IntN(2) == 0 {
				from %= 10 // some groups are large
			}
			copy(data[i*dim:(i+1)*dim], data[from*dim:])
		}
		for j := range i {
			if slices.Equal(data[i*dim:(i+1)*dim], data[j*dim:(j+1)*dim]) {
				first[i] = j
				break
			}
		}
	}
	return data, first
}

// limited is the oracle of collapsed lists: the nearest k of all, in order, at
// most most of a group; and the ones passed over where they are too few.
func limited(all []entry, first []int, k, most int) []entry {
	var list, rest []entry
	taken := map[int]int{}
	for _, e := range all {
		if group := first[e.row]; taken[group] < most {
			taken[group]++
			list = append(list, e)
		} else {
			rest = append(rest, e)
		}
	}
	list = list[:min(k, len(list))]
	list = append(list, rest[:min(k, len(all))-len(list)]...)
	slices.SortFunc(list, func(a, b entry) int {
		if a.key != b.key {
			return int(math.Copysign(1, float64(a.key-b.key)))
		}
		return int(a.row) - int(b.row)
	})
	return list
}

// TestCollapse: by the exact method collapsing makes the graph of all rows, and
// with a limit the nearest others of each group; whatever is repeated.
func TestCollapse(t *testing.T) {
	const n, dim, k = 300, 3, 12
	rng := seeded(t)
	for i, percent := range []int{10, 50, 100} {
		data, first := withCopies(rng, n, dim, percent)
		metrics := []distance.Metric{distance.Euclidean, distance.Cosine, distance.IP}
		if !*long {
			metrics = metrics[i : i+1]
		}
		for _, m := range metrics {
			all := bruteForce(t, data, dim, n-1, m)
			kept, _ := build(t, filepath.Join(t.TempDir(), "g"), input(t, data, dim), builder.Options{K: k, Metric: m, Method: builder.Exact})
			for _, most := range []int{0, pick(rng, 1, 3)} {
				dir := filepath.Join(t.TempDir(), "g")
				res, lists := build(t, dir, input(t, data, dim), builder.Options{K: k, Metric: m, Method: builder.Exact, Duplicates: builder.Collapse, Copies: most})
				checkLists(t, lists, k)
				for row := range lists {
					if want := limited(all[row], first, k, cmpOr(most, n)); !slices.Equal(lists[row], want) {
						t.Fatalf("%d %%, %v, at most %d: row %d: %v, want %v", percent, m, most, row, lists[row], want)
					}
				}
				if most == 0 && (res.Checksum != kept.Checksum || res.Components != kept.Components) {
					t.Errorf("%d %%, %v: checksum %s and %d components, kept %s and %d", percent, m, res.Checksum, res.Components, kept.Checksum, kept.Components)
				}
				if report, err := store.Check(context.Background(), dir, store.CheckOptions{Full: true}); err != nil || !report.OK() {
					t.Errorf("%d %%, %v: check: %v %+v", percent, m, err, report)
				}
			}
		}
	}
}

func cmpOr(x, otherwise int) int {
	if x == 0 {
		return otherwise
	}
	return x
}

// TestCollapseApproximately: the other methods make sound lists of good recall,
// the same ones whatever the threads and interruptions, with rows that are
// isolated or dropped.
func TestCollapseApproximately(t *testing.T) {
	const n, dim, k = 1500, 6, 8
	rng := seeded(t)
	defer builder.KeepEvery(0)()
	for _, percent := range []int{10, 50, 100} {
		data, _ := withCopies(rng, n, dim, percent)
		truth := bruteForce(t, data, dim, k, distance.Euclidean)
		data = append(data, slices.Repeat([]float32{float32(math.NaN())}, 2*dim)...)
		for _, base := range []builder.Options{
			{Method: builder.Paper, LeafSize: 60, Paper: builder.PaperOptions{Visits: 60}, Divisions: 4, Rounds: 1},
			{Method: builder.Balls, LeafSize: 60, Divisions: 6, Rounds: 2},
		} {
			base.K, base.Duplicates, base.BadRows = k, builder.Collapse, pick(rng, builder.Isolate, builder.Drop)
			dir := filepath.Join(t.TempDir(), "g")
			want, lists := build(t, dir, input(t, data, dim), base)
			lists = lists[:n] // the bad rows are the last
			checkLists(t, lists, k)
			if got := recallOf(lists, truth); got < 0.9 {
				t.Errorf("%d %%, %s: recall %.3f, want 0.9", percent, base.Method, got)
			}
			if report, err := store.Check(context.Background(), dir, store.CheckOptions{Full: true}); err != nil || !report.OK() {
				t.Errorf("%d %%, %s: check: %v %+v", percent, base.Method, err, report)
			}
			c := &trial{n: n + 2, dim: dim, typ: vectors.Float32, opts: base}
			c.data = bytesOf(data)
			for range 2 {
				dir := filepath.Join(t.TempDir(), "g")
				o, stops := disturbed(t, rng, c, dir)
				got, err := builder.Build(context.Background(), dir, c.input(t), o)
				if err != nil && !errors.Is(err, store.ErrFinished) || got.Checksum != want.Checksum {
					t.Errorf("%d %%, %s, %d stops: %v, checksum %s, want %s", percent, base.Method, stops, err, got.Checksum, want.Checksum)
				}
			}
		}
	}
}

// bytesOf is rows of float32 as they lie in a file.
func bytesOf(data []float32) []byte {
	raw := make([]byte, 4*len(data))
	for i, x := range data {
		encodeRaw(vectors.Float32, x, raw[4*i:])
	}
	return raw
}

// TestCollapseRefused: what collapsing cannot do is said.
func TestCollapseRefused(t *testing.T) {
	data := slices.Repeat([]float32{1, 2, 3, 4}, 20)
	for want, o := range map[string]builder.Options{
		"cannot be referenced":                              {Duplicates: builder.Collapse, Reference: true},
		"a distance of your own":                            {Duplicates: builder.Collapse, Distance: &builder.Distance{Name: "x", Key: func(a, b store.Row) (float32, error) { return 0, nil }}},
		"Copies is 1, want none unless duplicates collapse": {Copies: 1},
		"want keep or collapse":                             {Duplicates: "merge"},
	} {
		_, err := builder.Build(context.Background(), filepath.Join(t.TempDir(), "g"), input(t, data, 2), o)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want an error that says %q", err, want)
		}
	}
}

// TestCollapsedRecall: the recall that a collapsed build reports, and stops by, is that of all rows, of which some have
// far more copies than others and are harder.
func TestCollapsedRecall(t *testing.T) {
	const hard, copies, easy, dim = 700, 12, 6000, 40
	rng := seeded(t)
	data := make([]float32, 0, (hard*copies+easy)*dim)
	row := make([]float32, dim)
	for range hard {
		for i := range row {
			row[i] = float32(rng.NormFloat64())
		}
		for range copies {
			data = append(data, row...)
		}
	}
	for range easy {
		for i := range row {
			row[i] = 100
		}
		row[0], row[1] = 100+50*rng.Float32(), 100+50*rng.Float32()
		data = append(data, row...)
	}
	for _, m := range []builder.Method{builder.Balls, builder.Paper} {
		dir := filepath.Join(t.TempDir(), "g")
		result, _ := build(t, dir, input(t, data, dim), builder.Options{K: 20, Method: m, Recall: 0.8, Duplicates: builder.Collapse, Seed: rng.Uint64()})
		g, err := store.Open(dir, nil)
		if err != nil {
			t.Fatal(err)
		}
		judged, err := builder.MeasureRecall(context.Background(), g, 3000, rng.Uint64(), nil)
		if err != nil {
			t.Fatal(err)
		}
		if told := result.Recall; told.Low > judged.High || told.High < judged.Low {
			t.Errorf("%s: %.4f (%.4f to %.4f) reported, %.4f (%.4f to %.4f) by 3,000 rows", m, told.Recall, told.Low, told.High, judged.Recall, judged.Low, judged.High)
		} else {
			t.Logf("%s: %.4f (%.4f to %.4f), %.4f", m, told.Recall, told.Low, told.High, judged.Recall)
		}
		g.Close()
	}
}
