package store_test

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"os"
	"slices"
	"testing"

	"github.com/knng/knng/builder"
	"github.com/knng/knng/store"
	"github.com/knng/knng/store/search"
	"github.com/knng/knng/vectors"
)

// A golden store of each format version that was released: readers of today open it and
// answer as on the day it was made. It is never made anew; a new version gets a store of
// its own beside it.
const (
	goldenStore = "testdata/format1"
	goldenRows  = 240
	goldenDim   = 3
	goldenK     = 6
)

// goldenPoints are rows in small whole numbers, so that keys are exact.
func goldenPoints() []float32 {
	points := make([]float32, 0, goldenRows*goldenDim)
	for i := range goldenRows {
		points = append(points, float32(i*37%101), float32(i*i%53), float32(i%7))
	}
	return points
}

func goldenID(row int) string { return fmt.Sprintf("point %d", row*row) }

// goldenList is the list of a row by the definition: all others by (key, row).
func goldenList(points []float32, row int) []store.Neighbor {
	type pair struct {
		key float32
		row int
	}
	var all []pair
	for other := range goldenRows {
		key := float32(0)
		for d := range goldenDim {
			x := points[row*goldenDim+d] - points[other*goldenDim+d]
			key += x * x
		}
		if other != row {
			all = append(all, pair{key, other})
		}
	}
	slices.SortFunc(all, func(a, b pair) int { return cmp.Or(cmp.Compare(a.key, b.key), cmp.Compare(a.row, b.row)) })
	var list []store.Neighbor
	for _, p := range all[:goldenK] {
		list = append(list, store.Neighbor{Row: store.Row(p.row), Distance: float32(math.Sqrt(float64(p.key)))})
	}
	return list
}

func TestReadsFormat1(t *testing.T) {
	points := goldenPoints()
	if _, err := os.Stat(goldenStore); errors.Is(err, os.ErrNotExist) && os.Getenv("KNNG_UPDATE") != "" {
		makeGolden(t, points)
	}
	g, err := store.Open(goldenStore, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer g.Close()
	if g.Len() != goldenRows || g.K() != goldenK || g.Info().Distance != "euclidean" {
		t.Errorf("%+v", g.Info())
	}
	s, err := search.Open(g, &search.Options{Memory: true})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	for row := range goldenRows {
		want := goldenList(points, row)
		if got, err := g.Neighbors(store.Row(row), nil); err != nil || !slices.Equal(got, want) {
			t.Fatalf("row %d: %v, %v, want %v", row, got, err, want)
		}
		if id, err := g.ID(store.Row(row)); id != goldenID(row) || err != nil {
			t.Fatalf("row %d has id %q, %v", row, id, err)
		}
		if at, err := g.RowOf(goldenID(row)); at != store.Row(row) || err != nil {
			t.Fatalf("%s is row %d, %v, want %d", goldenID(row), at, err, row)
		}
		if hits, err := s.Search(points[row*goldenDim:][:goldenDim], search.Query{K: 1, Exact: true}); err != nil || len(hits) != 1 || hits[0].Distance != 0 {
			t.Fatalf("row %d is found as %v, %v", row, hits, err)
		}
	}
	if report, err := store.Check(t.Context(), goldenStore, store.CheckOptions{}); err != nil {
		t.Errorf("check: %v, %+v", err, report)
	}
}

// TestGoldenOfEveryFormat: a new format version asks for a golden store of its own.
func TestGoldenOfEveryFormat(t *testing.T) {
	if store.FormatVersion != 1 {
		t.Errorf("format %d: make a golden store of it beside %s, and say which versions are read", store.FormatVersion, goldenStore)
	}
}

func makeGolden(t *testing.T, points []float32) {
	rows, err := vectors.FromFloat32(points, goldenDim)
	if err != nil {
		t.Fatal(err)
	}
	var ids []string
	for row := range goldenRows {
		ids = append(ids, goldenID(row))
	}
	o := builder.Options{K: goldenK, Method: builder.Exact, Names: slices.Values(ids)}
	if _, err := builder.Build(t.Context(), goldenStore, vectors.NewInput(rows), o); err != nil {
		t.Fatal(err)
	}
}
