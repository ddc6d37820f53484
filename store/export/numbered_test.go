package export

import (
	"encoding/binary"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/knng/knng/store"
)

// renumbered is a graph of 3 rows with the numbers 2, 5, 7; it counts passes.
type renumbered struct{ passes int }

func (*renumbered) Len() int                           { return 3 }
func (*renumbered) K() int                             { return 2 }
func (*renumbered) Shown(distance float32) float32     { return distance }
func (*renumbered) Info() store.Info                   { return store.Info{IDs: true} }
func (*renumbered) Number(row store.Row) store.Row     { return []store.Row{2, 5, 7}[row] }
func (r *renumbered) ID(row store.Row) (string, error) { return strconv.Itoa(int(r.Number(row))), nil }

func (r *renumbered) EachKeyed(fn func(store.Row, []uint32, []float32) error) error {
	r.passes++
	for row := range store.Row(3) {
		if err := fn(row, []uint32{uint32(row+1) % 3, uint32(row+2) % 3}, []float32{1, 2.5}); err != nil {
			return err
		}
	}
	return nil
}

// TestNumbered: lists are looked up once, numbers stand beside them, and keys are refused.
func TestNumbered(t *testing.T) {
	dir := t.TempDir()
	lists := filepath.Join(dir, "lists")
	for _, o := range []Options{{Format: NPY}, {Format: NPZ}, {Format: IBin}, {Format: CSV}, {Format: NPZ, Symmetric: Union, Force: true, Memory: 1}, {Format: METIS, Symmetric: Mutual}} {
		path := lists
		if o.Format != NPY {
			path = filepath.Join(dir, "g."+string(o.Format))
		}
		g := new(renumbered)
		if err := Export(g, path, o); err != nil || g.passes != 1 {
			t.Errorf("%s: %v after %d passes, want 1", o.Format, err, g.passes)
		}
	}
	if left, _ := filepath.Glob(filepath.Join(dir, "*.lists*")); len(left) > 0 {
		t.Errorf("%v are left", left)
	}
	b, err := os.ReadFile(filepath.Join(lists, "rows.npy"))
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []uint64{2, 5, 7} {
		if got := binary.LittleEndian.Uint64(b[len(b)-24+8*i:]); got != want {
			t.Errorf("row %d has number %d, want %d", i, got, want)
		}
	}
	if err := Export(new(renumbered), filepath.Join(dir, "g.gt"), Options{Format: GT}); !errors.Is(err, ErrKeys) {
		t.Errorf("gt: %v, want %v", err, ErrKeys)
	}
	if err := Export(labelled{&graph{k: 1, lists: [][]uint32{{1}, {0}}, keys: [][]float32{{1}, {1}}}}, lists, Options{Format: NPY, Force: true}); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(lists, "rows.npy")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("numbers of an earlier graph are left beside other lists: %v", err)
	}
}
