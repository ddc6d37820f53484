package main

import (
	"errors"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
)

// TestInterruptRefine: a refinement stops cleanly in its walk, and the same command
// makes the graph that it would have made.
func TestInterruptRefine(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("Windows sends no SIGINT to another process")
	}
	dir := t.TempDir()
	rows, g1, g2 := filepath.Join(dir, "x.npy"), filepath.Join(dir, "g1"), filepath.Join(dir, "g2")
	if err := writeSome(rows, 6000, 16, ""); err != nil {
		t.Fatal(err)
	}
	checksumOf(t, "build", rows, "-k", "8", "-o", g1)
	args := []string{"refine", g1, "--distance", "rank-order"}
	for sig, want := range map[syscall.Signal]int{syscall.SIGINT: exitInterrupted, syscall.SIGTERM: exitTerminated} {
		cmd := asKnng(append(args, "-o", g2, "--threads", "1", "--progress", "json")...)
		stderr, err := cmd.StderrPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		said, err := said(stderr, func(line string) bool { return strings.Contains(line, `"walk`) }, func() { cmd.Process.Signal(sig) })
		if err != nil {
			t.Fatal(err)
		}
		err = cmd.Wait()
		var exit *exec.ExitError
		if !errors.As(err, &exit) || exit.ExitCode() != want || !strings.Contains(said, "give the same command again") {
			t.Fatalf("%v: %v, want exit code %d: %s", sig, err, want, said)
		}
	}
	resumed := checksumOf(t, append(args, "-o", g2)...)
	if straight := checksumOf(t, append(args, "-o", filepath.Join(dir, "straight"))...); resumed != straight {
		t.Errorf("checksum %s after two interruptions, %s without", resumed, straight)
	}
}
