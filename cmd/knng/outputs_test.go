package main

import (
	"io"
	"os"
	"path/filepath"
	"testing"
)

// TestOutsideStores: a path behind a link and .. is where the system finds it, and scratch files come into no finished store.
func TestOutsideStores(t *testing.T) {
	dir := t.TempDir()
	path := func(names ...string) string { return dir + "/" + filepath.Join(names...) }
	must(t, writeSome(path("rows.npy"), 50, 2, ""))
	build := func(args ...string) int {
		return run(append([]string{"build", path("rows.npy"), "-k", "2", "--quiet"}, args...), nil, io.Discard, io.Discard)
	}
	if code := build("-o", path("g")); code != exitDone {
		t.Fatalf("exit code %d", code)
	}
	must(t, os.Mkdir(path("d"), 0o777), os.Symlink(path("g", "graph"), path("d", "link")))
	for _, args := range [][]string{
		{"-o", dir + "/d/link/../sub"}, {"-o", path("g", "sub")}, {"-o", path("h"), "--scratch", path("g", "s")}, {"-o", path("h"), "--scratch", dir + "/d/link/../s"},
	} {
		if code := build(args...); code != exitUsage {
			t.Errorf("%v: exit code %d", args, code)
		}
	}
	if code := build("-o", path("h"), "--scratch", path("h", "scratch")); code != exitDone {
		t.Errorf("scratch in the graph itself: exit code %d", code)
	}
	if code := run([]string{"check", path("g"), "--quiet"}, nil, io.Discard, io.Discard); code != exitDone {
		t.Errorf("check: exit code %d", code)
	}
}
