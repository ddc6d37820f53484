package main

import (
	"context"
	"errors"
	"io"
	"path/filepath"
	"testing"
)

// TestStopped: what is interrupted stops and leaves no part of a file.
func TestStopped(t *testing.T) {
	dir := t.TempDir()
	rows, graph := filepath.Join(dir, "x.npy"), filepath.Join(dir, "g")
	if err := writeSome(rows, 100, 3, ""); err != nil {
		t.Fatal(err)
	}
	if code := run([]string{"build", rows, "-o", graph, "-k", "4"}, nil, io.Discard, io.Discard); code != exitDone {
		t.Fatalf("exit code %d", code)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	for _, args := range [][]string{
		{"analyze", graph},
		{"analyze", graph, "--view"},
		{"export", graph, "-o", filepath.Join(dir, "out.csv"), "--format", "csv"},
		{"convert", rows, "-o", filepath.Join(dir, "out.fbin")},
	} {
		root := newRoot(&globals{stdout: io.Discard, stderr: io.Discard})
		root.SetArgs(args)
		if err := root.ExecuteContext(ctx); !errors.Is(err, context.Canceled) {
			t.Errorf("%s: %v, want %v", args[0], err, context.Canceled)
		}
	}
	if left, _ := filepath.Glob(filepath.Join(dir, "out*")); len(left) > 0 {
		t.Errorf("%v are left", left)
	}
}
