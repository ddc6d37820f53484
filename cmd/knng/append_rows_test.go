package main

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/knng/knng/builder/rebuild"
	"github.com/knng/knng/store"
	"github.com/knng/knng/store/living"
	"github.com/knng/knng/vectors"
)

// TestAppendOfMany: rows without ids that are more than wait at once are put in parts, between which the graph is compacted.
// An append that is interrupted at any of them goes on when it is given again, and puts every row once. Other rows are refused
// until then, or until the rows that it put are deleted.
func TestAppendOfMany(t *testing.T) {
	dir := t.TempDir()
	path := func(name string) string { return filepath.Join(dir, name) }
	graph, quiet := path("g"), &globals{progress: "none", stdout: io.Discard, stderr: io.Discard}
	must(t, writeSome(path("old.npy"), 50, 3, ""), writeSome(path("rows.npy"), 600, 3, ""), writeSome(path("others.npy"), 20, 2, ""))
	if code := run([]string{"build", path("old.npy"), "-o", graph, "-k", "3", "--quiet"}, nil, io.Discard, io.Discard); code != exitDone {
		t.Fatalf("exit code %d", code)
	}
	in, err := vectors.Open([]string{path("rows.npy")}, nil)
	must(t, err)
	defer in.Close()
	interrupted := errors.New("interrupted")
	attempt := func(ids []string, compactions int) (appended, error) {
		db, err := living.Open(graph, &living.Options{Tail: 250})
		must(t, err)
		defer db.Close()
		p := putting{db: db, in: in, ids: ids, names: "rows.npy", dir: graph, steps: &steps{to: quiet.phases()}}
		p.full = func() error {
			if compactions--; compactions < 0 {
				return interrupted
			}
			return rebuild.Compact(t.Context(), db, rebuild.Options{})
		}
		if err = p.all(t.Context(), quiet); err == nil {
			err = p.end()
		}
		return p.sum, err
	}
	count := func() int {
		v, err := living.OpenReader(graph, nil)
		must(t, err)
		defer v.Close()
		return v.Len()
	}
	ids := strings.Fields(strings.Repeat("x ", in.Len()))
	for run, want := range []int{250, 250, 100} {
		sum, err := attempt(nil, min(run, 1))
		if wrong := run < 2 && (!errors.Is(err, interrupted) || !strings.Contains(err.Error(), "rows.npy are put")); wrong || run == 2 && err != nil || sum.Put != want {
			t.Fatalf("run %d: %d rows put, want %d; error %v", run, sum.Put, want, err)
		}
		if run == 2 {
			break
		}
		if _, err := attempt(ids, 0); exitCode(err) != exitUsage {
			t.Errorf("rows with ids meanwhile: error %v", err)
		}
	}
	if n := count(); n != 650 {
		t.Errorf("%d rows, want 650", n)
	}

	_, err = attempt(nil, 1) // from the tail of 100: nothing of the next part is put after one compaction
	if !errors.Is(err, interrupted) || count() != 900 {
		t.Fatalf("%d rows; error %v", count(), err)
	}
	db, err := living.Open(graph, nil)
	must(t, err)
	must(t, db.Update(func(tx *living.Tx) error {
		for row := 650; row < 900; row++ {
			must(t, tx.DeleteRow(store.Row(row)))
		}
		return nil
	}), db.Close())
	if sum, err := attempt(nil, 9); sum.Put != 600 || err != nil || count() != 1250 {
		t.Errorf("after the rows were deleted: %d put, %d rows, error %v", sum.Put, count(), err)
	}
}

// TestAppendTwice: an append of few rows without ids that was interrupted after they were put puts none when it is given again, and
// keeps no other rows out. One that ended puts its rows again.
func TestAppendTwice(t *testing.T) {
	dir := t.TempDir()
	path := func(name string) string { return filepath.Join(dir, name) }
	graph, quiet := path("g"), &globals{progress: "none", stdout: io.Discard, stderr: io.Discard}
	must(t, writeSome(path("old.npy"), 50, 3, ""), writeSome(path("rows.npy"), 7, 3, ""), writeSome(path("others.npy"), 8, 3, ""))
	if code := run([]string{"build", path("old.npy"), "-o", graph, "-k", "3", "--quiet"}, nil, io.Discard, io.Discard); code != exitDone {
		t.Fatalf("exit code %d", code)
	}
	interrupted := func(name string, want int) {
		t.Helper()
		in, err := vectors.Open([]string{path(name)}, nil)
		must(t, err)
		defer in.Close()
		db, err := living.Open(graph, nil)
		must(t, err)
		p := putting{db: db, in: in, names: name, dir: graph, steps: &steps{to: quiet.phases()}}
		must(t, p.all(t.Context(), quiet), db.Close())
		if p.sum.Put != want {
			t.Errorf("%d rows of %s put, want %d", p.sum.Put, name, want)
		}
	}
	ended := func(name string, want int) {
		t.Helper()
		if code := run([]string{"append", graph, path(name), "--quiet"}, nil, io.Discard, io.Discard); code != exitDone {
			t.Fatalf("exit code %d", code)
		}
		v, err := living.OpenReader(graph, nil)
		must(t, err)
		defer v.Close()
		if v.Len() != want {
			t.Errorf("%d rows after %s, want %d", v.Len(), name, want)
		}
	}
	interrupted("rows.npy", 7)
	interrupted("rows.npy", 0)
	ended("rows.npy", 57)
	ended("rows.npy", 64)
	interrupted("rows.npy", 7)
	ended("others.npy", 79)
	ended("others.npy", 87)
	interrupted("rows.npy", 7)
	db, err := living.Open(graph, nil)
	must(t, err, db.Update(func(tx *living.Tx) error { // another program's
		_, err := tx.Put("", []float32{1, 2, 3})
		return err
	}), db.Close())
	ended("rows.npy", 95)

	must(t, writeSome(path("nan.npy"), 9, 3, "nan"))
	if code := run([]string{"append", graph, path("nan.npy")}, nil, io.Discard, io.Discard); code != exitRefused {
		t.Errorf("exit code %d", code)
	}
	if _, err := os.Lstat(filepath.Join(graph, "living", "appending")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a refused append leaves its note: %v", err)
	}
}

// TestAppendToFew: many rows that come to a small graph are not linked one by one; fewer are, and that is told as progress.
func TestAppendToFew(t *testing.T) {
	dir := t.TempDir()
	path := func(name string) string { return filepath.Join(dir, name) }
	must(t, writeSome(path("old.npy"), 50, 2, ""), writeSome(path("few.npy"), 1100, 2, ""), writeSome(path("many.npy"), fewRows, 2, ""))
	var told bytes.Buffer
	for _, args := range [][]string{{"build", path("old.npy"), "-k", "2", "-o", path("g")}, {"append", path("g"), path("few.npy")}, {"append", path("g"), path("many.npy")}} {
		told.Reset()
		if code := run(append(args, "--progress", "json"), nil, io.Discard, &told); code != exitDone {
			t.Fatalf("exit code %d: %s", code, &told)
		}
		if few := args[2] == path("few.npy"); few && !strings.Contains(told.String(), `"phase":"link","seconds"`) {
			t.Errorf("links are not told: %s", &told)
		}
	}
	v, err := living.OpenReader(path("g"), nil)
	must(t, err)
	defer v.Close()
	if st := v.State(); st.Pending+st.Layered > 0 || !strings.Contains(told.String(), "it is compacted") {
		t.Errorf("%+v; %s", st, &told)
	}
}

func must(t *testing.T, errs ...error) {
	t.Helper()
	if err := errors.Join(errs...); err != nil {
		t.Fatal(err)
	}
}
