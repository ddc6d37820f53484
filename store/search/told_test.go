package search

import (
	"os"
	"sync"
	"testing"
)

// TestTold: making links tells how far it is several times, while lists are read, while links are made and while islands
// are looked for, and all that is told together is all places.
func TestTold(t *testing.T) {
	const places = 20_000
	s := line(t, places)
	for _, spilled := range []bool{false, true} {
		m := s.maker(s.identity())
		m.threads = 2
		if spilled {
			m.limit = 1
			m.scratch = func() (scratchFile, error) {
				f, err := os.CreateTemp(t.TempDir(), "")
				return tempFile{f}, err
			}
		}
		var mu sync.Mutex
		times, sum := 0, 0
		m.told = func(n int) {
			mu.Lock()
			defer mu.Unlock()
			times, sum = times+1, sum+n
		}
		if _, err := m.table(func(int, []byte) error { return nil }); err != nil {
			t.Fatal(err)
		}
		if spilled == (sum == places) || sum < places/2 {
			t.Errorf("spilled %v: told of %d places of %d before islands are looked for", spilled, sum, places)
		}
		if _, _, err := m.islands(); err != nil {
			t.Fatal(err)
		}
		if sum != places || times < 4 {
			t.Errorf("spilled %v: told %d times of %d places, want 4 or more times of %d", spilled, times, sum, places)
		}
	}
}
