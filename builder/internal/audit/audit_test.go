package audit_test

import (
	"bytes"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"unsafe"

	"github.com/knng/knng/builder/internal/audit"
	"github.com/knng/knng/builder/internal/buildtest"
	"github.com/knng/knng/builder/internal/rowstest"
	"github.com/knng/knng/vectors"
	"github.com/knng/knng/vectors/distance"
)

var (
	nan  = float32(math.NaN())
	inf  = float32(math.Inf(-1))
	huge = float32(math.Sqrt(math.MaxFloat32))
)

// handful are rows of every kind.
var handful = [][]float32{
	{1, 2, 3},
	{0, 0, 0},
	{1, nan, 3},
	{2, 2, 2},
	{huge, 1, 0},
	{1, 2, 3},
	{inf, 0, 0},
	{-4, 5, 6},
}

func floats(t *testing.T, rows [][]float32) *vectors.Rows {
	t.Helper()
	data := slices.Concat(rows...)
	r, err := vectors.RowsOf(unsafe.Slice((*byte)(unsafe.Pointer(&data[0])), 4*len(data)), len(rows), len(rows[0]), 4*len(rows[0]), vectors.Float32)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// TestFindings: of a handful of rows exactly those are bad that have no distance under a metric; each
// treatment keeps the rows that it should, and a build that goes on finds the same.
func TestFindings(t *testing.T) {
	for _, c := range []struct {
		metric distance.Metric
		bad    []uint32
		why    string
	}{
		{distance.Euclidean, []uint32{2, 4, 6}, "NaN"},
		{distance.IP, []uint32{2, 4, 6}, "NaN"},
		{distance.Cosine, []uint32{1, 2, 6}, "all zeros"},
		{distance.Correlation, []uint32{1, 2, 3, 4, 6}, ""},
	} {
		for _, treatment := range []string{audit.Reject, audit.Drop, audit.Isolate} {
			rows := floats(t, handful)
			space, err := distance.New(c.metric, vectors.Float32, 3)
			if err != nil {
				t.Fatal(err)
			}
			b := buildtest.New(t, rows, space, 2)
			options := audit.Options{Rules: audit.RulesOf(c.metric), Refuse: treatment == audit.Reject, Drop: treatment == audit.Drop}
			a := audit.Audit{Build: b, Options: options}
			err = a.Pass()
			if !slices.Equal(a.Bad.Rows, c.bad) || !strings.Contains(a.Why, c.why) || a.Repeated != 1 {
				t.Fatalf("%v: bad are %v (%s), repeated %d, want %v", c.metric, a.Bad.Rows, a.Why, a.Repeated, c.bad)
			}
			if treatment == audit.Reject {
				if !errors.Is(err, audit.ErrBadRows) {
					t.Errorf("%v: %v, want bad rows", c.metric, err)
				}
				continue
			}
			if err != nil {
				t.Fatal(err)
			}
			var kept []uint32
			for row := range uint32(len(handful)) {
				if !slices.Contains(c.bad, row) {
					kept = append(kept, row)
				}
			}
			for i, row := range b.Good {
				at := int(row)
				if treatment == audit.Drop && at != i {
					t.Fatalf("%v: good are %v of the rows that remain", c.metric, b.Good)
				}
				got := make([]byte, 12)
				if err := b.Source.ReadRows(at, got); err != nil || !bytes.Equal(got, rows.Row(int(kept[i]))) {
					t.Fatalf("%v, %s: good row %d is another, %v", c.metric, treatment, i, err)
				}
			}
			if len(b.Good) != len(kept) || (treatment == audit.Drop) != (b.Source.Len() == len(kept)) || (treatment == audit.Drop) != (a.Dropped() != nil) {
				t.Fatalf("%v, %s: %d good rows of %d, dropped %v", c.metric, treatment, len(b.Good), b.Source.Len(), a.Dropped())
			}
			b.Source = vectors.NewInput(rows)
			again := audit.Audit{Build: b, Options: options}
			if err := again.Pass(); err != nil || !slices.Equal(again.Bad.Rows, c.bad) || len(b.Good) != len(kept) {
				t.Errorf("%v, %s: again %v and %d good rows, %v", c.metric, treatment, again.Bad.Rows, len(b.Good), err)
			}
			a.Free()
			again.Free()
		}
	}
}

// TestNoneLeft: an input of bad rows alone makes no graph.
func TestNoneLeft(t *testing.T) {
	rows := floats(t, [][]float32{{nan}, {inf}})
	space, err := distance.New(distance.Euclidean, vectors.Float32, 1)
	if err != nil {
		t.Fatal(err)
	}
	a := audit.Audit{Build: buildtest.New(t, rows, space, 1), Options: audit.Options{Drop: true}}
	if err := a.Pass(); !errors.Is(err, audit.ErrBadRows) {
		t.Errorf("%v, want bad rows", err)
	}
}

// TestWithout: ranges of an input without some rows are those of a copy that never had them.
func TestWithout(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	rng := rand.New(rand.NewPCG(seed, 1))
	for range 200 {
		n, dim := 1+rng.IntN(60), 1+rng.IntN(5)
		rows, _ := rowstest.Bytes(t, rng, n, dim, 256)
		w := &audit.Without{Source: rows}
		var left []byte
		for row := range n {
			if rng.IntN(3) == 0 {
				w.Dropped = append(w.Dropped, uint32(row))
			} else {
				left = append(left, rows.Row(row)...)
			}
		}
		if w.Len()*dim != len(left) {
			t.Fatalf("%d rows without %v are %d", n, w.Dropped, w.Len())
		}
		for range 20 {
			from := rng.IntN(w.Len() + 1)
			to := from + rng.IntN(w.Len()-from+1)
			got := make([]byte, (to-from)*dim)
			if err := w.ReadRows(from, got); err != nil || !bytes.Equal(got, left[from*dim:to*dim]) {
				t.Fatalf("rows %d to %d of %d without %v are others, %v", from, to, n, w.Dropped, err)
			}
		}
	}
}
