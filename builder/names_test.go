package builder_test

import (
	"errors"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/knng/knng/builder"
	"github.com/knng/knng/store"
	"github.com/knng/knng/vectors"
)

// points1 is an input of rows of one element.
func points1(t *testing.T, points ...float32) *vectors.Input {
	rows, err := vectors.FromFloat32(points, 1)
	if err != nil {
		t.Fatal(err)
	}
	return vectors.NewInput(rows)
}

// TestNamesAreIDs: ids of a slice are those of a file, and a build goes on with either.
func TestNamesAreIDs(t *testing.T) {
	dir := t.TempDir()
	names := []string{"a", "b c", "ü", strings.Repeat("long", 900), "e"}
	file := filepath.Join(dir, "ids.txt")
	if err := os.WriteFile(file, []byte(strings.Join(names, "\n")+"\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	in := points1(t, 0, 1, 3, 7, 20)
	path := filepath.Join(dir, "g")
	if _, err := builder.Build(t.Context(), path, in, builder.Options{K: 2, Names: slices.Values(names)}); err != nil {
		t.Fatal(err)
	}
	if _, err := builder.Build(t.Context(), path, in, builder.Options{K: 2, IDs: file}); !errors.Is(err, store.ErrFinished) {
		t.Errorf("by a file of the same ids: %v, want that it is finished", err)
	}
	if _, err := builder.Build(t.Context(), path, in, builder.Options{K: 2, Names: slices.Values(names[1:])}); err == nil || errors.Is(err, store.ErrFinished) {
		t.Errorf("by other ids: %v", err)
	}
	g, err := store.Open(path, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer g.Close()
	for i, name := range names {
		if id, err := g.ID(store.Row(i)); id != name || err != nil {
			t.Errorf("row %d is %q, %v, want %q", i, id, err, name)
		}
		if row, err := g.RowOf(name); row != store.Row(i) || err != nil {
			t.Errorf("%q is row %d, %v, want %d", name, row, err, i)
		}
	}
}

func TestNamesRefused(t *testing.T) {
	for want, names := range map[string][]string{
		"line 2 is empty":   {"a", "", "c"},
		"row 1: id \"b\\nc": {"a", "b\nc", "d"},
		"byte order mark":   {"\ufeffa", "b", "c"},
		"2 lines":           {"a", "b"},
		"4 lines":           {"a", "b", "c", "d"},
		"lines 1 and 3":     {"a", "b", "a"},
	} {
		_, err := builder.Build(t.Context(), filepath.Join(t.TempDir(), "g"), points1(t, 0, 1, 3), builder.Options{K: 1, Names: slices.Values(names)})
		if !errors.Is(err, store.ErrIDs) || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q, as store.ErrIDs", names, err, want)
		}
	}
	both := builder.Options{IDs: "ids.txt", Names: slices.Values([]string{"a"})}
	if err := both.Validate(); err == nil || !strings.Contains(err.Error(), "want one of them") {
		t.Errorf("both: %v", err)
	}
}

// TestNamesOfDroppedRows: a dropped row takes its id along.
func TestNamesOfDroppedRows(t *testing.T) {
	path := filepath.Join(t.TempDir(), "g")
	inf := float32(math.Inf(1))
	o := builder.Options{K: 1, BadRows: builder.Drop, Names: slices.Values([]string{"a", "bad", "c"})}
	if _, err := builder.Build(t.Context(), path, points1(t, 0, inf, 3), o); err != nil {
		t.Fatal(err)
	}
	g, err := store.Open(path, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer g.Close()
	if id, err := g.ID(1); id != "c" || err != nil {
		t.Errorf("row 1 is %q, %v, want c", id, err)
	}
}
