package lookup

import (
	"path/filepath"
	"runtime"
	"slices"
	"testing"

	"github.com/knng/knng/store"
)

// TestWaysAgree: all ways find the same lists, and each can be measured.
func TestWaysAgree(t *testing.T) {
	const n, k = 1000, 7
	dir, path := filepath.Join(t.TempDir(), "s"), filepath.Join(t.TempDir(), "array")
	if err := Generate(dir, n, k, 1); err != nil {
		t.Fatal(err)
	}
	if err := WriteArray(dir, path); err != nil {
		t.Fatal(err)
	}
	var want [n][]store.Neighbor
	for _, way := range Ways {
		c := Config{Dir: dir, Way: way, Array: path, Lookups: 500}
		f, err := c.open()
		if err != nil {
			t.Fatal(err)
		}
		for row := range n {
			list, err := f.Neighbors(store.Row(row), nil)
			if err != nil || len(list) != k {
				t.Fatalf("%s, row %d: %v %v", way, row, list, err)
			}
			if want[row] == nil {
				want[row] = list
			} else if !slices.Equal(list, want[row]) {
				t.Fatalf("%s, row %d: %v, want %v", way, row, list, want[row])
			}
		}
		f.Close()
		for _, c.Cold = range []bool{false, runtime.GOOS == "linux"} {
			r, err := c.Run()
			if err != nil || r.Lookups != 500 || r.Rows != n || !(r.P50 <= r.P99 && r.P99 <= r.Most) {
				t.Errorf("%s: %+v %v", way, r, err)
			}
		}
	}
}
