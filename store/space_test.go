package store

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
)

// tmpfs mounts a file system of some bytes for the time of a test.
func tmpfs(t *testing.T, size int) (dir string, err error) {
	if os.Geteuid() != 0 || runtime.GOOS != "linux" {
		return "", errors.New("mounts a file system: run it as root on Linux")
	}
	dir = t.TempDir()
	if out, err := exec.Command("mount", "-t", "tmpfs", "-o", fmt.Sprintf("size=%d", size), "knng", dir).CombinedOutput(); err != nil {
		return "", fmt.Errorf("cannot mount: %w %s", err, out)
	}
	t.Cleanup(func() { exec.Command("umount", "-l", dir).Run() })
	return dir, nil
}

// TestReverseFullDisk: without room nothing is begun; a disk that fills up on the
// way leaves the store as it was; and with room again the in-neighbors are built.
func TestReverseFullDisk(t *testing.T) {
	disk, err := tmpfs(t, 32<<20)
	if err != nil {
		t.Skip(err)
	}
	from, _ := scattered(t, rand.New(rand.NewPCG(7, 0)), 20000, 10)
	dir := filepath.Join(disk, "s")
	must(t, os.CopyFS(dir, os.DirFS(from)))
	ballast := filepath.Join(disk, "ballast")
	fill := func(left int64) {
		free, _, ok := freeBytes(disk)
		if !ok || free < left {
			t.Fatalf("%d bytes free, told %v", free, ok)
		}
		must(t, os.WriteFile(ballast, make([]byte, free-left), 0o666))
	}
	refused := func(when, says string) {
		t.Helper()
		if !strings.Contains(when, "way") {
			fill(1 << 20)
		}
		_, err := BuildReverse(context.Background(), dir, &ReverseOptions{Progress: func(what string, done, _ int) {
			if _, err := os.Stat(ballast); what == when[:min(len(what), len(when))] && err != nil {
				fill(64 << 10)
			}
		}})
		if !errors.Is(err, ErrSpace) || !strings.Contains(err.Error(), says) {
			t.Errorf("%s: %v, want ErrSpace that says %q", when, err, says)
		}
		must(t, os.Remove(ballast))
		if _, err := os.Stat(filepath.Join(dir, reverseName+newSuffix)); err == nil {
			t.Errorf("%s: a folder is left", when)
		}
		sound(t, dir)
	}
	refused("before", "free")
	refused("distributing, on the way", syscall.ENOSPC.Error())
	refused("sorting, on the way", syscall.ENOSPC.Error())
	build(t, dir, nil)
	sound(t, dir)
}

// TestRoom: what is missing is told with its place; needs on one disk add up.
func TestRoom(t *testing.T) {
	dir := t.TempDir()
	free, _, ok := freeBytes(dir)
	if !ok {
		t.Skip("the disk does not tell how much is free")
	}
	must(t, Room("nothing", Need{dir, 0}, Need{filepath.Join(dir, "not there"), 1}))
	must(t, Room("a little", Need{dir, 1}))
	half := free/2 + free/4 // others write here, too
	must(t, Room("some", Need{dir, free / 2}))
	err := Room("twice as much", Need{dir, half}, Need{dir, half})
	if !errors.Is(err, ErrSpace) || !strings.Contains(err.Error(), "twice as much takes") || !strings.Contains(err.Error(), "missing") {
		t.Errorf("%v, want ErrSpace that says how much is missing", err)
	}
}

// TestSizeCountsFilesOnce: a table that Pebble takes in has two names for a moment, and
// files of one size are none the fewer for it.
func TestSizeCountsFilesOnce(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"table", "other", "empty"} {
		size := 1000
		if name == "empty" {
			size = 0
		}
		must(t, os.WriteFile(filepath.Join(dir, name), make([]byte, size), 0o644))
	}
	if err := os.Link(filepath.Join(dir, "table"), filepath.Join(dir, "again")); err != nil {
		t.Skip("no second names here:", err)
	}
	if size, err := dirBytes(home(t, dir)); size != 2000 || err != nil {
		t.Errorf("%d bytes, %v: want 2000", size, err)
	}
}
