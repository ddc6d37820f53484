package builder_test

import (
	"compress/gzip"
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/knng/knng/builder"
	"github.com/knng/knng/store"
	"github.com/knng/knng/vectors"
)

// gzipped writes rows as a .fvecs.gz, whose header does not tell how many.
func gzipped(t *testing.T, path string, data []float32, dim int) {
	t.Helper()
	plain := filepath.Join(t.TempDir(), "x.fvecs")
	w, err := vectors.Create(plain, vectors.Float32, dim)
	check(t, err)
	for at := 0; at < len(data); at += dim {
		check(t, w.AppendFloat32(data[at:at+dim], ""))
	}
	check(t, w.Close())
	bytes, err := os.ReadFile(plain)
	check(t, err)
	f, err := os.Create(path)
	check(t, err)
	z := gzip.NewWriter(f)
	_, err = z.Write(bytes)
	check(t, errors.Join(err, z.Close(), f.Close()))
}

func check(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// TestStreamedInput: a build from streams gives the disk that they took back once
// it has its own rows, and goes on from there when they are gone.
func TestStreamedInput(t *testing.T) {
	const n, dim = 600, 4
	data := clustered(11, n, dim)
	paths := []string{filepath.Join(t.TempDir(), "a.fvecs.gz"), filepath.Join(t.TempDir(), "b.fvecs.gz")}
	gzipped(t, paths[0], data[:200*dim], dim)
	gzipped(t, paths[1], data[200*dim:], dim)
	for name, o := range smallBuilds {
		want, _ := build(t, filepath.Join(t.TempDir(), "g"), input(t, data, dim), o)
		dir := filepath.Join(t.TempDir(), "g")
		scratch := filepath.Join(dir, "scratch")
		in, err := vectors.Open(paths, &vectors.OpenOptions{Scratch: scratch, Once: true})
		check(t, err)
		ctx, cancel := context.WithCancel(context.Background())
		o.Progress = func(e builder.Event) {
			switch e.Phase {
			case "", "audit", "collapse", "copy", "order", "ids":
			default:
				cancel()
			}
		}
		_, err = builder.Build(ctx, dir, in, o)
		if !errors.Is(err, context.Canceled) {
			t.Fatalf("%s: %v", name, err)
		}
		if left, _ := filepath.Glob(filepath.Join(scratch, "knng-input-*")); len(left) > 0 {
			t.Errorf("%s: %v is left", name, left)
		}
		check(t, in.Close())
		moved := t.TempDir()
		check(t, os.Rename(paths[0], filepath.Join(moved, "a")))
		if in, err = store.InputOf(dir, paths, 0); in == nil {
			t.Fatalf("%s: the sources are still needed: %v", name, err)
		}
		for _, limit := range []int{10, n - 1} {
			if other, err := store.InputOf(dir, paths, limit); other != nil {
				t.Errorf("%s: limit %d: taken for the same input: %v", name, limit, err)
			}
		}
		if other, err := store.InputOf(dir, []string{paths[1], paths[0]}, 0); other != nil {
			t.Errorf("%s: other files: taken for the same input: %v", name, err)
		}
		o.Progress = nil
		got, err := builder.Build(context.Background(), dir, in, o)
		if err != nil || got.Checksum != want.Checksum {
			t.Errorf("%s: %v, checksum %v, want %s", name, err, got, want.Checksum)
		}
		check(t, os.Rename(filepath.Join(moved, "a"), paths[0]))
	}
}
