package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
)

func TestExitCodes(t *testing.T) {
	dir := t.TempDir()
	rows, graph := filepath.Join(dir, "x.npy"), filepath.Join(dir, "g")
	if err := writeSome(rows, 100, 3, ""); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		want int
		args string
	}{
		{exitDone, "build ROWS -o DIR -k 4"},
		{exitDone, "build ROWS -o DIR -k 4"},
		{exitDone, "check DIR"},
		{exitUsage, "build ROWS -o DIR -k 5"},
		{exitUsage, "build ROWS"},
		{exitUsage, "build ROWS -o DIR2 -k 0x"},
		{exitUsage, "build ROWS -o DIR2 -k 0"},
		{exitUsage, "build ROWS -o DIR2 --limit-rows -1"},
		{exitUsage, "recall DIR --truth-distances feet"},
		{exitUsage, "neighbors DIR"},
		{exitUsage, "nonsense"},
		{exitResumable, "build ROWS -o DIR3 --memory 1M"},
		{exitFailed, "neighbors DIR 100"},
		{exitFailed, "build absent.npy -o DIR4"},
		{exitFailed, "check DIR4"},
		{exitFailed, "dump DIR4"},
	} {
		args := strings.Fields(strings.NewReplacer("ROWS", rows, "DIR", graph).Replace(c.args))
		var errs bytes.Buffer
		if got := run(args, nil, io.Discard, &errs); got != c.want {
			t.Errorf("%s: exit code %d, want %d: %s", c.args, got, c.want, &errs)
		}
	}
	if err := os.WriteFile(filepath.Join(graph, "extra"), nil, 0o666); err != nil {
		t.Fatal(err)
	}
	if got := run([]string{"check", graph}, nil, io.Discard, io.Discard); got != exitFailed {
		t.Errorf("check of a damaged store: exit code %d", got)
	}
}

// asKnng runs this test binary as the command: TestMain goes by its name.
func asKnng(args ...string) *exec.Cmd {
	cmd := exec.Command(os.Args[0])
	cmd.Args = append([]string{"knng"}, args...)
	return cmd
}

func checksumOf(t *testing.T, args ...string) string {
	t.Helper()
	out, err := asKnng(append(args, "--json", "--quiet")...).Output()
	if err != nil {
		t.Fatal(err)
	}
	var result struct{ Checksum string }
	if err := json.Unmarshal(out, &result); err != nil {
		t.Fatal(err)
	}
	return result.Checksum
}

func TestInterruptAndResume(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("Windows sends no SIGINT to another process")
	}
	dir := t.TempDir()
	rows, graph := filepath.Join(dir, "x.npy"), filepath.Join(dir, "g")
	if err := writeSome(rows, 12000, 24, ""); err != nil {
		t.Fatal(err)
	}
	args := []string{"build", rows, "-k", "8", "--method", "paper", "--divisions", "8", "--rounds", "2"}
	for sig, want := range map[syscall.Signal]int{syscall.SIGINT: exitInterrupted, syscall.SIGTERM: exitTerminated} {
		cmd := asKnng(append(args, "-o", graph, "--threads", "1", "--progress", "json")...)
		stderr, err := cmd.StderrPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		said, err := said(stderr, func(line string) bool { return strings.Contains(line, `"division`) }, func() { cmd.Process.Signal(sig) })
		if err != nil {
			t.Fatal(err)
		}
		err = cmd.Wait()
		var exit *exec.ExitError
		if !errors.As(err, &exit) || exit.ExitCode() != want || !strings.Contains(said, "give the same command again") {
			t.Fatalf("%v: %v, want exit code %d: %s", sig, err, want, said)
		}
	}
	resumed := checksumOf(t, append(args, "-o", graph)...)
	if straight := checksumOf(t, append(args, "-o", filepath.Join(dir, "straight"))...); resumed != straight {
		t.Errorf("checksum %s after two interruptions, %s without", resumed, straight)
	}
}

// said reads all that a process says, and acts at the first line that matches.
func said(r io.Reader, match func(string) bool, act func()) (string, error) {
	var all strings.Builder
	acted := false
	lines := bufio.NewScanner(r)
	for lines.Scan() {
		fmt.Fprintln(&all, lines.Text())
		if !acted && match(lines.Text()) {
			acted = true
			act()
		}
	}
	return all.String(), lines.Err()
}
