package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"
)

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

func TestInterruptBuild(t *testing.T) {
	dir := t.TempDir()
	rows := filepath.Join(dir, "x.npy")
	if err := writeSome(rows, 12000, 24, ""); err != nil {
		t.Fatal(err)
	}
	interruptBuild(t, dir, `"division`, "build", rows, "-k", "8", "--method", "paper", "--divisions", "8", "--rounds", "2")
}

func TestInterruptRefine(t *testing.T) {
	dir := t.TempDir()
	rows, graph := filepath.Join(dir, "x.npy"), filepath.Join(dir, "g")
	if err := writeSome(rows, 6000, 16, ""); err != nil {
		t.Fatal(err)
	}
	checksumOf(t, "build", rows, "-k", "8", "-o", graph)
	interruptBuild(t, dir, `"walk`, "refine", graph, "--distance", "rank-order")
}

// interruptBuild runs a command that makes a graph and stops it three times in a phase: it
// ends cleanly at two signals that come at once, and the same command then makes the graph that it would have made.
func interruptBuild(t *testing.T, dir, phase string, args ...string) {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("Windows sends no SIGINT to another process")
	}
	to := func(name string) []string { return slices.Concat(args, []string{"-o", filepath.Join(dir, name)}) }
	for sig, want := range map[syscall.Signal]int{syscall.SIGINT: exitInterrupted, syscall.SIGTERM: exitTerminated, syscall.SIGHUP: exitHungUp} {
		if signal.Ignored(sig) { // under nohup; the command inherits that, and goes on
			t.Logf("%v is ignored here, and not sent", sig)
			continue
		}
		cmd := asKnng(append(to("stopped"), "--threads", "1", "--progress", "json")...)
		stderr, err := cmd.StderrPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		var apart time.Duration
		said, err := said(stderr, func(line string) bool { return strings.Contains(line, phase) }, func() {
			first := time.Now()
			cmd.Process.Signal(sig)
			time.Sleep(2 * time.Millisecond)
			cmd.Process.Signal(sig) // as of timeout, which sends it to the group as well
			apart = time.Since(first)
		})
		if err != nil {
			t.Fatal(err)
		}
		err = cmd.Wait()
		if apart > 100*time.Millisecond { // the machine is busy, and the second may have ended it
			t.Logf("the signals came %v apart", apart)
			continue
		}
		var exit *exec.ExitError
		if !errors.As(err, &exit) || exit.ExitCode() != want || !strings.Contains(said, "give the same command again") {
			t.Fatalf("%v: %v, want exit code %d: %s", sig, err, want, said)
		}
	}
	if got, want := checksumOf(t, to("stopped")...), checksumOf(t, to("straight")...); got != want {
		t.Errorf("checksum %s after three interruptions, %s without", got, want)
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
