package builder_test

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/knng/knng/builder"
	"github.com/knng/knng/vectors"
)

// TestDamageWhileInterrupted: whatever changes in the files of a build while it is
// interrupted, the build that goes on says so or makes the graph of one left alone.
func TestDamageWhileInterrupted(t *testing.T) {
	if testing.Short() {
		t.Skip("one goroutine's work: runs without -short")
	}
	defer builder.KeepEvery(0)()
	const n, dim = 300, 4
	data, rng := clustered(13, n, dim), seeded(t)
	refused, same := 0, 0
	for name, o := range smallBuilds {
		dir := filepath.Join(t.TempDir(), "g")
		m := newMirror(t, dir)
		var after []crashed
		m.crash = func(op, path string) {
			if rng.IntN(60) == 0 {
				after = append(after, crashed{op + " of " + strings.TrimPrefix(path, dir), 100, m.after(100, rng)})
			}
		}
		want, _ := build(t, dir, input(t, data, dim), o.On(m))
		for _, c := range after {
			whole := filepath.Join(t.TempDir(), "whole")
			copyOut(t, c.fs, dir, whole)
			for _, rel := range regular(t, whole) {
				spoiled := filepath.Join(t.TempDir(), "g")
				if err := os.CopyFS(spoiled, os.DirFS(whole)); err != nil {
					t.Fatal(err)
				}
				done := spoil(t, filepath.Join(spoiled, rel), rng.IntN)
				res, err := builder.Build(context.Background(), spoiled, vectors.NewInput(input(t, data, dim)), o)
				switch {
				case err != nil:
					refused++
				case res.Checksum != want.Checksum:
					t.Errorf("%s: crash %s, then %s %s: another graph, and no error", name, c, rel, done)
				default:
					same++
				}
				os.RemoveAll(spoiled)
			}
		}
	}
	t.Logf("%d refused, %d made the same graph", refused, same)
}

// regular are the files below a folder, the seal excepted.
func regular(t *testing.T, dir string) (rels []string) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() && d.Name() != "SEAL" {
			rel, _ := filepath.Rel(dir, path)
			rels = append(rels, rel)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return rels
}

// spoil cuts a file or changes a bit of it, and says what it did.
func spoil(t *testing.T, path string, random func(n int) int) string {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if len(data) == 0 {
		return "left alone"
	}
	at := random(len(data))
	what := fmt.Sprintf("byte %d of %d changed", at, len(data))
	if random(4) == 0 {
		data, what = data[:at], fmt.Sprintf("cut to %d bytes of %d", at, len(data))
	} else {
		data[at] ^= 1 << random(8)
	}
	if err := os.WriteFile(path, data, 0o666); err != nil {
		t.Fatal(err)
	}
	return what
}
