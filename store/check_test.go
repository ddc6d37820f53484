package store

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/knng/knng/vectors"
)

// unsound is a store whose files are as they were sealed, and whose contents are
// wrong: what a builder with a bug would make.
type unsound struct {
	list   func(row int, neighbors []uint32, keys []float32) ([]uint32, []float32)
	order  func(order []uint32) []uint32
	before func(t *testing.T, d *Draft) // of the seal
}

// sealed writes n rows on a line with the faults of u.
func (u unsound) sealed(t *testing.T, n int) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "s")
	d := open(t, dir, tiny(n))
	w, err := d.CreateRows(n, 2, vectors.Uint8)
	must(t, err)
	order := make([]uint32, n)
	for row := range order {
		order[row] = uint32(row)
		w.Write([]byte{byte(row), 0})
	}
	must(t, w.Commit())
	if u.order != nil {
		order = u.order(order)
	}
	must(t, d.CommitOrder(order))
	must(t, d.CommitAdjacency(2, func(add func([]uint32, []float32) error) error {
		for row := range n {
			neighbors, keys := line(n, row)
			if u.list != nil {
				neighbors, keys = u.list(row, neighbors, keys)
			}
			if err := add(neighbors, keys); err != nil {
				return err
			}
		}
		return nil
	}))
	sum, err := d.Checksum(context.Background())
	must(t, err)
	if u.before != nil {
		u.before(t, d)
	}
	must(t, d.Seal(t.Context(), map[string]any{"checksum": sum}))
	return dir
}

// TestCheckFinds: each thing that a check is for, wrong by itself.
func TestCheckFinds(t *testing.T) {
	const n = 40
	inRow := func(wrong int, change func(neighbors []uint32, keys []float32)) unsound {
		return unsound{list: func(row int, neighbors []uint32, keys []float32) ([]uint32, []float32) {
			if row == wrong {
				change(neighbors, keys)
			}
			return neighbors, keys
		}}
	}
	for want, u := range map[string]unsound{
		"":                                                      {},
		"row 7: neighbor 7 is the row":                          inRow(7, func(ns []uint32, _ []float32) { ns[0] = 7 }),
		"row 7: neighbor 6 is the row":                          inRow(7, func(ns []uint32, _ []float32) { ns[1] = 6 }),
		"row 7: entry 1 is out of order":                        inRow(7, func(ns []uint32, _ []float32) { slices.Reverse(ns) }),
		"row 8: entry 1 is out of order":                        inRow(8, func(_ []uint32, keys []float32) { keys[0] = 2 }),
		"neighbor 4000, want below 40":                          inRow(7, func(ns []uint32, _ []float32) { ns[1] = 4000 }),
		"neighbor 8 has key 4, computed again it is 1":          inRow(7, func(_ []uint32, keys []float32) { keys[1] = 4 }),
		"place 3: row 2 is out of range or has a place already": {order: func(o []uint32) []uint32 { o[3] = 2; return o }},
		"place 3: row 40 is out of range":                       {order: func(o []uint32) []uint32 { o[3] = n; return o }},
		"row 39: has a list is true, has a place is false":      {order: func(o []uint32) []uint32 { return o[:n-1] }},
		"row 7: has a list is false, has a place is true": {list: func(row int, ns []uint32, keys []float32) ([]uint32, []float32) {
			if row == 7 {
				return nil, nil
			}
			return ns, keys
		}},
		"the graph's checksum is": {before: func(t *testing.T, d *Draft) {
			must(t, d.CommitAdjacency(2, func(add func([]uint32, []float32) error) error {
				for row := range n {
					ns, keys := line(n, row)
					if row == 7 {
						ns, keys = []uint32{6, 9}, []float32{1, 4}
					}
					if err := add(ns, keys); err != nil {
						return err
					}
				}
				return nil
			}))
		}},
	} {
		report, err := Check(context.Background(), u.sealed(t, n), CheckOptions{Full: true})
		if err != nil {
			t.Fatal(err)
		}
		if found := strings.Join(report.Faults, "\n"); (want == "") != report.OK() || !strings.Contains(found, want) {
			t.Errorf("found %q, want %q", found, want)
		}
	}
}

// TestCheckStops: a check that is canceled in any of its steps ends with that.
func TestCheckStops(t *testing.T) {
	dir := unsound{}.sealed(t, 100)
	var steps []string
	_, err := Check(context.Background(), dir, CheckOptions{Progress: func(what string, _, _ int64) {
		if !slices.Contains(steps, what) {
			steps = append(steps, what)
		}
	}})
	must(t, err)
	for _, step := range []string{"files", "lists", "checksum", "view", "keys"} {
		if !slices.Contains(steps, step) {
			t.Errorf("nothing was told of %s", step)
		}
	}
	for _, step := range steps {
		ctx, cancel := context.WithCancel(context.Background())
		_, err := Check(ctx, dir, CheckOptions{Progress: func(what string, _, _ int64) {
			if what == step {
				cancel()
			}
		}})
		if !errors.Is(err, context.Canceled) {
			t.Errorf("canceled at %s: %v", step, err)
		}
		cancel()
	}
}

// TestCheckFindsFiles: files that are gone, cut, or not part of the store.
func TestCheckFindsFiles(t *testing.T) {
	for want, damage := range map[string]func(dir string) error{
		"vectors/rows: missing":                 func(dir string) error { return os.Remove(filepath.Join(dir, "vectors", "rows")) },
		"vectors/rows: 4176 bytes, sealed with": func(dir string) error { return os.Truncate(filepath.Join(dir, "vectors", "rows"), 4176) },
		"letter: not part of the sealed store":  func(dir string) error { return os.WriteFile(filepath.Join(dir, "letter"), nil, 0o666) },
		"graph/letter: not part of the sealed store": func(dir string) error {
			return os.WriteFile(filepath.Join(dir, "graph", "letter"), nil, 0o666)
		},
	} {
		dir := finished(t, 100, false)
		must(t, damage(dir))
		report, err := Check(context.Background(), dir, CheckOptions{})
		if err != nil || !strings.Contains(strings.Join(report.Faults, "\n"), want) {
			t.Errorf("found %q %v, want %q", report.Faults, err, want)
		}
	}
}

// TestMovedAndReadOnly: a sealed store may be copied without its scratch folder,
// moved, and opened where nothing can be written.
func TestMovedAndReadOnly(t *testing.T) {
	const n = 100
	dir := finished(t, n, true)
	must(t, os.RemoveAll(filepath.Join(dir, scratchName)))
	readOnly := func(disk string) { must(t, exec.Command("mount", "-o", "remount,ro", disk).Run()) }
	disk, err := tmpfs(t, 16<<20)
	if err != nil { // permissions bind all but root
		disk, readOnly = t.TempDir(), func(string) {}
	}
	must(t, os.CopyFS(filepath.Join(disk, "copy"), os.DirFS(dir)))
	must(t, os.RemoveAll(dir))
	moved := filepath.Join(disk, "moved")
	must(t, os.Rename(filepath.Join(disk, "copy"), moved))
	must(t, filepath.WalkDir(moved, func(path string, e os.DirEntry, err error) error {
		if err == nil && e.IsDir() {
			defer t.Cleanup(func() { os.Chmod(path, 0o777) })
			return os.Chmod(path, 0o555)
		}
		return os.Chmod(path, 0o444)
	}))
	readOnly(disk)
	s, err := Open(moved, nil)
	must(t, err)
	defer s.Close()
	for row := range n {
		neighbors, keys, err := s.Keyed(Row(row), nil, nil)
		must(t, err)
		if want, wantKeys := line(n, row); !slices.Equal(neighbors, want) || !slices.Equal(keys, wantKeys) {
			t.Fatalf("row %d: %v %v, want %v %v", row, neighbors, keys, want, wantKeys)
		}
	}
	report, err := Check(context.Background(), moved, CheckOptions{Full: true})
	if err != nil || !report.OK() {
		t.Errorf("check: %v %+v", err, report)
	}
}

// TestCheckFindsIDs: rows by ids that are not the ids by rows.
func TestCheckFindsIDs(t *testing.T) {
	for row, want := range map[uint64]string{8: `row 7 has id "row number 7", which is row 8's`, 5000: "is of row 5000 of 100"} {
		dir := finished(t, 100, true)
		setID(t, dir, "row number 7", row)
		report, err := Check(t.Context(), dir, CheckOptions{})
		if err != nil || !strings.Contains(strings.Join(report.Faults, "\n"), want) {
			t.Errorf("found %q %v, want %q", report.Faults, err, want)
		}
	}
}
