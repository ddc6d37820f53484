package arrange_test

import (
	"bytes"
	"errors"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/knng/knng/builder/internal/arrange"
	"github.com/knng/knng/builder/internal/build"
	"github.com/knng/knng/builder/internal/buildtest"
	"github.com/knng/knng/builder/internal/copies"
	"github.com/knng/knng/builder/internal/input"
	"github.com/knng/knng/builder/internal/job"
	"github.com/knng/knng/builder/internal/rowstest"
	"github.com/knng/knng/vectors"
)

// plain hides that rows are mapped, so that they are copied first.
type plain struct{ vectors.Source }

// TestPlaces: whatever order a method gives, places are a permutation of the good rows, each row of the
// store is that of its place, and copies follow those that they repeat, in the same order. A build
// that goes on has the same order, without asking the method.
func TestPlaces(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	rng := rand.New(rand.NewPCG(seed, 1))
	for round := range 12 {
		inOrder, mapped, collapse := round%3 == 0, round%2 == 0, round%4 == 1
		rows, space := rowstest.Bytes(t, rng, 2+rng.IntN(300), 1+rng.IntN(9), 3+rng.IntN(200))
		b := buildtest.New(t, rows, space, 3)
		b.Rows, b.Order = nil, nil
		b.Traits.InOrder = inOrder
		if !mapped {
			b.Source = vectors.NewInput(plain{rows})
		}
		g := new(copies.Groups)
		if collapse && !inOrder {
			if err := g.Collapse(b, func() error { return nil }); err != nil {
				t.Fatal(err)
			}
		} else {
			b.Good = slices.DeleteFunc(b.Good, func(row uint32) bool { return row > 0 && rng.IntN(5) == 0 }) // bad rows
		}
		method := new(buildtest.Idle)
		for _, at := range rng.Perm(len(b.Good)) {
			method.Order = append(method.Order, uint32(at))
		}
		b.Method = method
		a := &arrange.Rows{Build: b, Groups: g, Given: b.Source}
		asked := 0
		for range 2 {
			b.Rows, b.Order = nil, nil
			if err := a.Place(func() error { asked++; return nil }); err != nil {
				t.Fatal(err)
			}
			if err := a.MapRows(); err != nil {
				t.Fatal(err)
			}
			check(t, b, rows, method.Order, inOrder)
		}
		if asked != 1 {
			t.Errorf("the method was settled %d times", asked)
		}
		written, err := b.Draft.Rows()
		if err != nil {
			t.Fatal(err)
		}
		for i, row := range g.Copies {
			if !bytes.Equal(written.Row(b.N()+i), rows.Row(int(row))) {
				t.Fatalf("place %d is not row %d, a copy", b.N()+i, row)
			}
		}
		written.Close()
		b.Rows.Close()
	}
}

// TestPlantedLink: rows are not copied through a link that stands where the scratch copy goes: it may lead to any file.
func TestPlantedLink(t *testing.T) {
	rows, space := rowstest.Bytes(t, rand.New(rand.NewPCG(1, 3)), 50, 3, 256)
	b := buildtest.New(t, rows, space, 3)
	b.Rows, b.Order, b.Source = nil, nil, vectors.NewInput(plain{rows})
	b.Method = &buildtest.Idle{Order: build.InputOrder(50)}
	victim := filepath.Join(t.TempDir(), "victim")
	if err := os.WriteFile(victim, []byte("mine"), 0o666); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(victim, filepath.Join(b.Job.Scratch, job.InputRows)); err != nil {
		t.Fatal(err)
	}
	a := &arrange.Rows{Build: b, Groups: new(copies.Groups), Given: b.Source}
	if err := a.Place(func() error { return nil }); err != nil {
		t.Fatal(err)
	}
	if left, err := os.ReadFile(victim); err != nil || string(left) != "mine" {
		t.Errorf("the file behind the link holds %d bytes, %v, want its own 4", len(left), err)
	}
}

// check compares places with the order that a method gave.
func check(t *testing.T, b *build.Build, rows *vectors.Rows, order []uint32, inOrder bool) {
	t.Helper()
	sorted := slices.Clone(b.Order)
	if slices.Sort(sorted); !slices.Equal(sorted, b.Good) {
		t.Fatalf("places have rows %v, want %v", sorted, b.Good)
	}
	for place, row := range b.Order {
		want := b.Good[place]
		if !inOrder {
			want = b.Good[order[place]]
		}
		if row != want || !bytes.Equal(b.Rows.Row(place), rows.Row(int(row))) {
			t.Fatalf("place %d has row %d, want %d, with its bytes", place, row, want)
		}
	}
}

// TestReferenced: a file of good rows is read where it is, one with bad rows is refused.
func TestReferenced(t *testing.T) {
	rows, space := rowstest.Bytes(t, rand.New(rand.NewPCG(1, 2)), 20, 3, 256)
	b := buildtest.New(t, rows, space, 3)
	b.Rows, b.Order = nil, nil
	b.Set.Reference, b.Method = true, new(buildtest.Idle)
	a := &arrange.Rows{Build: b, Groups: new(copies.Groups), Given: b.Source}
	b.Good = b.Good[1:]
	if err := a.Place(func() error { return nil }); !errors.Is(err, input.ErrReference) {
		t.Errorf("a file with a bad row: %v", err)
	}
	b.Good, b.Order = build.InputOrder(20), nil
	if err := errors.Join(a.Place(func() error { return nil }), a.MapRows()); err != nil {
		t.Fatal(err)
	}
	if has, _ := b.Draft.HasRows(); has || &b.Rows.Base()[0] != &rows.Base()[0] {
		t.Error("the rows were copied")
	}
}
