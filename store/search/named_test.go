package search

import (
	"context"
	"errors"
	"os"
	"strings"
	"testing"

	"github.com/knng/knng/vectors"
)

// TestErrorsNameTheQuery: of many queries the one whose walk meets a damaged link is named, and the
// one with an element that is no number.
func TestErrorsNameTheQuery(t *testing.T) {
	s := line(t, 1000)
	path := Path(s.g.Dir())
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for at := range 4 * s.links.width { // all links of one end
		data[headerBytes+4*s.links.width*int(s.places[999])+at] = 0x40
	}
	if err := os.WriteFile(path, data, 0o666); err != nil {
		t.Fatal(err)
	}
	again, err := Open(s.g, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer again.Close()
	values := make([]float32, 2*40)
	for i := range 40 {
		values[2*i] = float32(10 * i)
	}
	values[2*33] = 999
	queries, err := vectors.FromFloat32(values, 2)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := again.SearchAll(t.Context(), queries, Query{K: 3}); !errors.Is(err, ErrCorrupt) || !strings.HasPrefix(err.Error(), "query 33: ") {
		t.Errorf("a damaged link: %v", err)
	}
	values[2*33] = 330
	inf := float32(1)
	values[2*21+1] = inf / values[1]
	for _, exact := range []bool{false, true} {
		if _, err := again.SearchAll(t.Context(), queries, Query{K: 3, Exact: exact}); !errors.Is(err, ErrQuery) || !strings.HasPrefix(err.Error(), "query 21: ") {
			t.Errorf("exact %v, an element that is no number: %v", exact, err)
		}
	}
}

// TestCodesRoom: codes, the places of rows and an eighth for pages are within the budget, whatever the
// rows.
func TestCodesRoom(t *testing.T) {
	for _, n := range []int64{1, 1000, 1 << 20, 20_000_000, 1 << 32} {
		for budget := int64(1 << 10); budget < 1<<40; budget *= 3 {
			room := codesRoom(budget, n)
			if room > 0 && room+placeBytes*n+budget/8 > budget {
				t.Errorf("budget %d, %d rows: codes may take %d", budget, n, room)
			}
		}
	}
	if room := codesRoom(1<<30, 20_000_000); room/20_000_000 < 36 {
		t.Errorf("%d bytes a code of 20,000,000 rows in 1 GiB, want 36", room/20_000_000)
	}
}

// TestCodesCancelled: an Open that is cancelled while it makes codes, or while it keeps them, is an
// error of its context.
func TestCodesCancelled(t *testing.T) {
	const places, budget = 20_000, 400_000
	s := line(t, places)
	for _, at := range []int{1, places} {
		os.Remove(CodesPath(s.g.Dir()))
		ctx, cancel := context.WithCancel(t.Context())
		made, err := Open(s.g, &Options{Context: ctx, Threads: 1, Budget: budget, Progress: func(done, _ int) {
			if done >= at {
				cancel()
			}
		}})
		if !errors.Is(err, context.Canceled) {
			t.Errorf("cancelled after %d places: %v", at, err)
		}
		if err == nil {
			made.Close()
		}
		cancel()
	}
	made, err := Open(s.g, &Options{Budget: budget})
	if err != nil || made.State().Codes == 0 {
		t.Fatal("no codes, the test looks at nothing: ", err)
	}
	made.Close()
}
