package controls_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/knng/knng/builder/internal/build"
	"github.com/knng/knng/builder/internal/buildtest"
	"github.com/knng/knng/builder/internal/controls"
	"github.com/knng/knng/builder/internal/copies"
	"github.com/knng/knng/builder/internal/job"
	"github.com/knng/knng/builder/internal/rowstest"
)

// TestSamples: the rows that steer and those that report ascend, are apart where there are rows for
// both, and as many as they should be; the same seed draws the same ones.
func TestSamples(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	rng := rand.New(rand.NewPCG(seed, 1))
	for range 300 {
		n, steer, least := 1+rng.IntN(2000), rng.IntN(300), 1+rng.IntN(300)
		steer = min(steer, n)
		requested, drawn := rng.Int64N(1_000_000_000), rng.Uint64()
		steering := controls.Steering(n, steer, drawn)
		reporting := controls.Reporting(n, steer, least, requested, drawn)
		for name, sample := range map[string][]uint32{"steer": steering, "report": reporting} {
			if !slices.IsSorted(sample) || len(slices.Compact(slices.Clone(sample))) != len(sample) || len(sample) > 0 && int(sample[len(sample)-1]) >= n {
				t.Fatalf("of %d rows %v %s", n, sample, name)
			}
		}
		if len(steering) != steer || len(reporting) < min(least, n) {
			t.Fatalf("of %d rows %d steer and %d report, want %d and %d", n, len(steering), len(reporting), steer, least)
		}
		apart := !slices.ContainsFunc(reporting, func(row uint32) bool { _, both := slices.BinarySearch(steering, row); return both })
		if all := len(reporting) == n; !apart && !all {
			t.Fatalf("of %d rows some of %d that steer report", n, steer)
		}
		if !slices.Equal(steering, controls.Steering(n, steer, drawn)) || !slices.Equal(reporting, controls.Reporting(n, steer, least, requested, drawn)) {
			t.Fatal("the same seed draws other rows")
		}
	}
}

// TestLists: the lists of rows that steer, and of those that report, are those of comparing each with
// all others, in any order of the rows; the pairs are counted.
func TestLists(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	rng := rand.New(rand.NewPCG(seed, 2))
	for _, inOrder := range []bool{false, true} {
		for _, values := range []int{2, 256} { // of few values many keys tie
			n, k := 300+rng.IntN(200), 1+rng.IntN(12)
			rows, space := rowstest.Bytes(t, rng, n, 1+rng.IntN(20), values)
			b := buildtest.New(t, rows, space, k)
			b.Traits.InOrder = inOrder
			b.Goal.Recall = 0.9
			if !inOrder { // the row at place p is row order[p] of the input
				order := rng.Perm(n)
				var shuffled []byte
				for p, row := range order {
					b.Order[p] = uint32(row)
					shuffled = append(shuffled, rows.Row(row)...)
				}
				if err := b.Over(shuffled, n); err != nil {
					t.Fatal(err)
				}
			}
			c := controls.Controls{Build: b, Groups: new(copies.Groups)}
			if err := c.Steer(); err != nil {
				t.Fatal(err)
			}
			check := func(name string, rowsOf []uint32, places []uint32, list func(i int) ([]uint32, []float32)) {
				t.Helper()
				for i, place := range places {
					row := b.Order[place]
					if _, drawn := slices.BinarySearch(rowsOf, row); !drawn {
						t.Fatalf("row %d was not drawn to %s", row, name)
					}
					ids, keys := list(i)
					got := make([]uint32, len(ids))
					for j, id := range ids {
						got[j] = b.Order[id]
					}
					wantIDs, wantKeys := buildtest.Nearest(rows, space, int(row), k)
					if !slices.Equal(got, wantIDs) || !slices.Equal(keys, wantKeys) {
						t.Fatalf("in order %v, %d values: row %d has %v %v, want %v %v", inOrder, values, row, got, keys, wantIDs, wantKeys)
					}
				}
			}
			steering := controls.Steering(n, min(n, controls.Rows), b.Set.Seed)
			if b.State.Steer != len(steering) || len(b.Steer.Places) != len(steering) || b.State.Control == 0 {
				t.Fatalf("%d rows steer after %d pairs, want %d", len(b.Steer.Places), b.State.Control, len(steering))
			}
			check("steer", steering, b.Steer.Places, b.Steer.List)
			b.State.Stages = []job.Stage{{Kind: job.DivisionStage, Requested: 1000}}
			truth, compared, err := c.Report()
			if err != nil {
				t.Fatal(err)
			}
			if compared < int64(len(truth.Places))*int64(n-1)/2 {
				t.Errorf("%d rows compared with %d others in %d pairs", len(truth.Places), n-1, compared)
			}
			check("report", controls.Reporting(n, b.State.Steer, controls.Rows, 1000, b.Set.Seed), truth.Places, truth.List)
		}
	}
}

// TestNothingToSteer: without a target, without lists, and where the method compares all pairs, no
// row steers; a build that others steered is refused.
func TestNothingToSteer(t *testing.T) {
	rows, space := rowstest.Bytes(t, rand.New(rand.NewPCG(1, 3)), 100, 4, 256)
	for name, change := range map[string]func(*build.Build){
		"no target": func(b *build.Build) { b.Goal.Recall = 0 },
		"no lists":  func(b *build.Build) { b.K = 0 },
		"complete":  func(b *build.Build) { b.Traits.Complete = true },
		"stopped":   func(b *build.Build) { b.State.Stop = "enough" },
	} {
		b := buildtest.New(t, rows, space, 5)
		b.Goal.Recall = 0.9
		change(b)
		if err := (&controls.Controls{Build: b, Groups: new(copies.Groups)}).Steer(); err != nil || b.Steer != nil || b.State.Control != 0 {
			t.Errorf("%s: rows steer, %v", name, err)
		}
	}
}
