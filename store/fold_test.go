package store

import (
	"math/rand/v2"
	"path/filepath"
	"reflect"
	"testing"
)

// TestPackedLists: a fold of batches that were packed is that of others, and what is added after
// Pack is written too.
func TestPackedLists(t *testing.T) {
	fold := func(pack bool) (lists []Lists) {
		rng := rand.New(rand.NewPCG(3, 3))
		d := open(t, filepath.Join(t.TempDir(), "s"), tiny(2000))
		defer d.Close()
		must(t, d.Fold(1, func(add func(*Lists) error) error {
			for from := 0; from < 2000; from += 500 {
				l := batch(from, 499, 7, rng)
				if pack {
					l.Pack()
				}
				if l.Append(uint32(from+499), []uint32{5}, []float32{2}); pack {
					l.Pack()
				}
				if l.Add(6, 3); pack && from > 0 {
					l.Pack()
				}
				if err := add(&l); err != nil {
					return err
				}
			}
			return nil
		}))
		must(t, d.ReadFolded(func(l *Lists) error {
			var copied Lists
			for i, row := range l.Rows {
				copied.Append(row, l.Neighbors[l.Starts[i]:l.Starts[i+1]], l.Keys[l.Starts[i]:l.Starts[i+1]])
			}
			lists = append(lists, copied)
			return nil
		}))
		return lists
	}
	plain, packed := fold(false), fold(true)
	if len(plain) != 4 || !reflect.DeepEqual(plain, packed) {
		t.Errorf("%d batches, packed ones differ", len(plain))
	}
	last := plain[0].Starts[len(plain[0].Starts)-1]
	if got := plain[0].Neighbors[last-2:]; !reflect.DeepEqual(got, []uint32{5, 6}) {
		t.Errorf("the last list of a batch is %v, want 5 and 6", got)
	}
	bad := Lists{Rows: []uint32{2, 1}, Starts: []uint32{0, 0, 0}}
	bad.Pack()
	d := open(t, filepath.Join(t.TempDir(), "s"), tiny(10))
	defer d.Close()
	if err := d.Fold(1, func(add func(*Lists) error) error { return add(&bad) }); err == nil {
		t.Error("places that descend, and no error")
	}
}
