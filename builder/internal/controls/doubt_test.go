package controls_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/knng/knng/builder/internal/buildtest"
	"github.com/knng/knng/builder/internal/controls"
	"github.com/knng/knng/builder/internal/copies"
	"github.com/knng/knng/builder/internal/job"
	"github.com/knng/knng/builder/internal/rowstest"
)

// TestDoubtTogether: rows whose interval holds the target raise a doubt where they and those that steer are
// well below it together, and only there.
func TestDoubtTogether(t *testing.T) {
	const n, k, target = 4500, 5, 0.9
	rows, space := rowstest.Bytes(t, rand.New(rand.NewPCG(36, 5)), n, 6, 256)
	b := buildtest.New(t, rows, space, k)
	b.Method, b.Goal.Recall = &buildtest.Idle{Recall: 1, Lost: 0.125}, target
	c := controls.Controls{Build: b, Groups: new(copies.Groups)}
	if err := c.Steer(); err != nil {
		t.Fatal(err)
	}
	b.State.Rows = n
	for _, test := range []struct {
		steering float64
		want     bool
	}{{0.9, true}, {0.907, false}, {0.95, false}} { // 0.8875, 0.891 and 0.9125 together
		b.State.Stages = []job.Stage{{Kind: job.DivisionStage, Number: 1, Recall: test.steering, Requested: n}}
		if got, err := c.Doubt("reached"); err != nil || got != test.want {
			t.Errorf("%v on the rows that steer: doubt %v %v, want %v", test.steering, got, err, test.want)
		}
	}
}

// TestDoubt: a build whose reporting rows are below the target has them steer, others report then, and
// a build that goes on has the same rows and lists.
func TestDoubt(t *testing.T) {
	const n, k, target = 4500, 5, 0.9
	rows, space := rowstest.Bytes(t, rand.New(rand.NewPCG(36, 4)), n, 6, 256)
	b := buildtest.New(t, rows, space, k)
	idle := &buildtest.Idle{Recall: 0.95}
	b.Method, b.Goal.Recall = idle, target
	c := controls.Controls{Build: b, Groups: new(copies.Groups)}
	b.Join = c.Join
	if err := c.Steer(); err != nil {
		t.Fatal(err)
	}
	b.State.Rows = n
	b.State.Stages = []job.Stage{{Kind: job.DivisionStage, Number: 1, Recall: 0.95, Requested: n}}
	doubts := func(want bool, stop string) {
		t.Helper()
		if got, err := c.Doubt(stop); err != nil || got != want {
			t.Fatalf("doubt %v %v, want %v", got, err, want)
		}
	}
	idle.Recall = 0.8
	doubts(false, "") // it goes on anyway
	var seen []uint32 // rows that reported
	for range 2 {
		idle.Recall = 0.95
		doubts(false, "reached")
		idle.Recall = 0.8
		doubts(true, "reached")
		truth, compared, err := c.Report()
		if err != nil || compared == 0 {
			t.Fatal(err, compared)
		}
		for _, place := range truth.Places {
			if slices.Contains(b.Steer.Places, place) || slices.Contains(seen, place) {
				t.Fatalf("place %d steers and reports", place)
			}
		}
		before, control := len(b.Steer.Places), b.State.Control
		seen = append(seen, truth.Places...)
		st, err := b.Joining()
		if err != nil {
			t.Fatal(err)
		}
		st.Recall = 0.95
		b.State.Stages = append(b.State.Stages, st)
		if st.Before != before || st.Number != b.State.Steer || b.State.Steer != before+len(truth.Places) || b.State.Control != control+compared {
			t.Fatalf("stage %+v of %d rows that steer and %d that report: %+v", st, before, len(truth.Places), b.State)
		}
		if !slices.Equal(b.Steer.Places[before:], truth.Places) {
			t.Fatal("other rows came to steer than those that reported")
		}
	}
	idle.Recall = 0.1
	doubts(false, "reached") // a quarter of the rows is looked at already
	steering := b.Steer
	again := controls.Controls{Build: b, Groups: new(copies.Groups)}
	if err := again.Steer(); err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(steering.Places, b.Steer.Places) {
		t.Fatal("a build that goes on has other rows steer")
	}
	for i, place := range b.Steer.Places {
		ids, keys := b.Steer.List(i)
		wasIDs, wasKeys := steering.List(i)
		wantIDs, wantKeys := buildtest.Nearest(rows, space, int(place), k)
		if !slices.Equal(ids, wasIDs) || !slices.Equal(keys, wasKeys) || !slices.Equal(ids, wantIDs) || !slices.Equal(keys, wantKeys) {
			t.Fatalf("row %d has %v, before %v, want %v", place, ids, wasIDs, wantIDs)
		}
	}
}
