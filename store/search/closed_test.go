package search

import (
	"errors"
	"testing"

	"github.com/knng/knng/store"
	"github.com/knng/knng/vectors"
)

// TestClosed: after Close every call is refused, in memory and where rows are read from disk.
func TestClosed(t *testing.T) {
	queries, err := vectors.FromFloat32([]float32{1, 2, 3, 4}, 2)
	if err != nil {
		t.Fatal(err)
	}
	g := line(t, 2000).g
	for _, budget := range []int64{0, 1 << 10} {
		s, err := Open(g, &Options{Budget: budget})
		if err != nil {
			t.Fatal(err)
		}
		if s.sparse != (budget > 0) {
			t.Errorf("budget %d: rows are read from disk: %v", budget, s.sparse)
		}
		if err := errors.Join(s.Close(), s.Close()); err != nil {
			t.Error(err)
		}
		for name, call := range map[string]func() error{
			"Search":    func() error { _, err := s.Search([]float32{1, 2}, Query{K: 3}); return err },
			"SearchAll": func() error { _, err := s.SearchAll(t.Context(), queries, Query{K: 3}); return err },
			"Exact":     func() error { _, err := s.SearchAll(t.Context(), queries, Query{K: 3, Exact: true}); return err },
			"Tune":      func() error { _, err := s.Tune(t.Context(), TuneOptions{}); return err },
			"Vector":    func() error { _, err := s.Vector(3, nil); return err },
			"Raw":       func() error { _, err := s.Raw(3, make([]byte, 8)); return err },
			"RawAll":    func() error { _, err := s.RawAll([]uint32{3}, make([]byte, 8)); return err },
			"Wide":      func() error { _, err := s.Wide(3); return err },
			"Only":      func() error { _, err := s.Only(nil); return err },
		} {
			if err := call(); !errors.Is(err, store.ErrClosed) {
				t.Errorf("%s with a budget of %d: %v", name, budget, err)
			}
		}
	}
}

// TestCloseWaits: Close waits for a query, and what the query's filter begins meanwhile is refused.
func TestCloseWaits(t *testing.T) {
	s := small(t)
	closed := make(chan error, 1)
	first := true
	found, err := s.Search([]float32{7, 0}, Query{K: 1, Keep: func(row store.Row) bool {
		if first {
			first = false
			go func() { closed <- s.Close() }()
			for {
				if _, err := s.Vector(0, nil); errors.Is(err, store.ErrClosed) {
					break
				}
			}
		}
		if len(closed) > 0 {
			t.Error("Close did not wait")
		}
		return true
	}})
	if err != nil || len(found) != 1 || found[0].Row != 7 {
		t.Errorf("found %v, %v", found, err)
	}
	if err := <-closed; err != nil {
		t.Error(err)
	}
}
