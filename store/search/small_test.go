package search

import (
	"encoding/binary"
	"path/filepath"
	"testing"

	"github.com/cespare/xxhash/v2"

	"github.com/knng/knng/builder"
	"github.com/knng/knng/store"
	"github.com/knng/knng/vectors"
)

func sumRest(b []byte) uint64 { return xxhash.Sum64(b) }

func sumBytes(b []byte) []byte { return binary.LittleEndian.AppendUint64(nil, xxhash.Sum64(b)) }

// small is a searcher over 100 points of a line.
func small(t *testing.T) *Searcher { return line(t, 100) }

// line is a searcher over n points of a line.
func line(t *testing.T, n int) *Searcher {
	t.Helper()
	return along(t, n, func(i int) float32 { return float32(i) })
}

// along is a searcher of n rows along a line, with lists of 4.
func along(t *testing.T, n int, at func(i int) float32) *Searcher {
	t.Helper()
	values := make([]float32, 2*n)
	for i := range n {
		values[2*i] = at(i)
	}
	rows, err := vectors.FromFloat32(values, 2)
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(t.TempDir(), "g")
	if _, err := builder.Build(t.Context(), dir, vectors.NewInput(rows), builder.Options{K: 4}); err != nil {
		t.Fatal(err)
	}
	g, err := store.Open(dir, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { g.Close() })
	s, err := Open(g, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}
