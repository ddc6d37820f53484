package store

import (
	"context"
	"errors"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
)

// TestReverseFullDisk: without room nothing is begun; a disk that fills up on the
// way leaves the store as it was; and with room again the in-neighbors are built.
func TestReverseFullDisk(t *testing.T) {
	if os.Geteuid() != 0 || runtime.GOOS != "linux" {
		t.Skip("mounts a file system: run it as root on Linux")
	}
	disk := t.TempDir()
	if out, err := exec.Command("mount", "-t", "tmpfs", "-o", "size=32m", "knng", disk).CombinedOutput(); err != nil {
		t.Skipf("cannot mount: %v %s", err, out)
	}
	defer exec.Command("umount", "-l", disk).Run()
	from, _ := scattered(t, rand.New(rand.NewPCG(7, 0)), 20000, 10)
	dir := filepath.Join(disk, "s")
	must(t, os.CopyFS(dir, os.DirFS(from)))
	ballast := filepath.Join(disk, "ballast")
	fill := func(left int64) {
		free, ok := freeBytes(disk)
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
