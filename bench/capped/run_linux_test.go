package capped

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// The command that tests run is this program, told by the environment what to do.
const does = "KNNG_CAPPED_TEST"

func TestMain(m *testing.M) {
	if task := os.Getenv(does); task != "" {
		if err := do(task, os.Args[1]); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(3)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

const (
	held = 96 << 20 // bytes that "hold" touches
	file = 32 << 20 // bytes of the file that "read" reads and "write" writes
)

func do(task, folder string) error {
	progress := func(phase string, end bool) { fmt.Fprintf(os.Stderr, `{"phase":%q,"end":%t}`+"\n", phase, end) }
	path := filepath.Join(folder, "data")
	switch task {
	case "hold":
		data, err := unix.Mmap(-1, 0, held, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_ANON|unix.MAP_PRIVATE)
		if err != nil {
			return err
		}
		for i := 0; i < held; i += 4096 {
			data[i] = 1
		}
		time.Sleep(300 * time.Millisecond)
		fmt.Println("held")
		fmt.Println(`{"checksum":"abc"}`)
	case "read":
		progress("look", false)
		if err := scan(path); err != nil {
			return err
		}
		progress("look", true)
		time.Sleep(200 * time.Millisecond) // what has ended cannot be asked at the end of its phase
	case "write":
		progress("fill 1", false)
		f, err := os.Create(path)
		if err != nil {
			return err
		}
		defer f.Close()
		if _, err := f.Write(make([]byte, file)); err != nil {
			return err
		}
		return f.Sync()
	case "fail":
		return errors.New("as told")
	case "sleep":
		time.Sleep(time.Minute)
	}
	return nil
}

// scan reads a file in small pieces.
func scan(path string) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	buf := make([]byte, 64<<10)
	for {
		if n, err := f.Read(buf); n == 0 || err != nil {
			return nil
		}
	}
}

// run runs a task under a limit, or skips where there can be none.
func run(t *testing.T, task, folder string, limit int64) *Outcome {
	t.Helper()
	if os.Getuid() != 0 {
		t.Skip("memory cgroups are made by root")
	}
	t.Setenv(does, task)
	c := Config{Args: []string{os.Args[0], folder}, Cap: limit, Folder: folder}
	o, err := c.Run(t.Context())
	if errors.Is(err, ErrNoCgroup) {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	return o
}

func TestWithinLimit(t *testing.T) {
	o := run(t, "hold", t.TempDir(), 160<<20)
	if how, failed := o.Failed(); failed {
		t.Fatalf("%s: %s", how, o.Errors)
	}
	if o.PeakAnon < held || o.PeakAnon > held+32<<20 || o.PeakRSS < o.PeakAnon || o.PeakUsage < held || o.PeakUsage > 160<<20 {
		t.Errorf("held %d bytes, measured %+v", held, o)
	}
	if o.Samples < 5 || o.LongestGap > 1 || string(o.Result) != `{"checksum":"abc"}` || o.Cgroup == "" {
		t.Errorf("measured %+v", o)
	}
}

func TestBeyondLimit(t *testing.T) {
	o := run(t, "hold", t.TempDir(), 64<<20)
	if how, failed := o.Failed(); !failed || o.OOMKills != 1 || o.Signal != "killed" || o.Exit != -1 || !strings.Contains(how, "memory") {
		t.Errorf("held %d bytes in 64 MiB: %s, %+v", held, how, o)
	}
	// The kernel lets a process that it kills pass by some pages.
	if o.PeakUsage > 65<<20 || o.PeakSwap != 0 {
		t.Errorf("the limit did not hold: %+v", o)
	}
}

// What is read from disk, and not from the cache, is counted, in its phase; page
// cache counts against the limit.
func TestRead(t *testing.T) {
	folder := t.TempDir()
	path := filepath.Join(folder, "data")
	if err := os.WriteFile(path, make([]byte, file), 0o600); err != nil {
		t.Fatal(err)
	}
	forget(t, path)
	o := run(t, "read", folder, 24<<20)
	if how, failed := o.Failed(); failed {
		t.Fatalf("%s: %s", how, o.Errors)
	}
	if o.ReadBytes == 0 {
		t.Skipf("%s is on no disk", folder)
	}
	if o.ReadBytes < file || o.ReadBytes > file+16<<20 || o.PeakUsage > 25<<20 {
		t.Errorf("read %d bytes in 24 MiB, measured %+v", file, o)
	}
	// A few bytes are read before the line that names the phase arrives.
	for _, p := range o.Phases {
		if p.Name == "look" && p.ReadBytes >= file-4<<20 && p.Seconds > 0 {
			return
		}
	}
	t.Errorf("phases %+v, want look with about %d bytes", o.Phases, file)
}

// forget drops a file from the page cache.
func forget(t *testing.T, path string) {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if err := f.Sync(); err != nil {
		t.Fatal(err)
	}
	if err := unix.Fadvise(int(f.Fd()), 0, 0, unix.FADV_DONTNEED); err != nil {
		t.Fatal(err)
	}
}

func TestWrite(t *testing.T) {
	o := run(t, "write", t.TempDir(), 0)
	if o.PeakDisk < file || o.PeakDisk > file+1<<20 {
		t.Errorf("wrote %d bytes, on disk are %d", file, o.PeakDisk)
	}
	if o.WrittenBytes != 0 && o.WrittenBytes < file { // none where there is no disk
		t.Errorf("wrote %d bytes, measured %d", file, o.WrittenBytes)
	}
}

func TestFailing(t *testing.T) {
	o := run(t, "fail", t.TempDir(), 0)
	if how, failed := o.Failed(); !failed || how != "exit 3" || o.Errors != "as told\n" {
		t.Errorf("%s: %q", how, o.Errors)
	}
}

// An interruption is an error, a timeout an outcome; neither leaves the process.
func TestInterrupted(t *testing.T) {
	if os.Getuid() != 0 {
		t.Skip("memory cgroups are made by root")
	}
	t.Setenv(does, "sleep")
	c := Config{Args: []string{os.Args[0], t.TempDir()}}
	ctx, stop := context.WithTimeout(t.Context(), 200*time.Millisecond)
	defer stop()
	if _, err := c.Run(ctx); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("interrupted: error %v", err)
	}
	c.Timeout = 200 * time.Millisecond
	o, err := c.Run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if how, failed := o.Failed(); !failed || !o.TimedOut || o.Signal == "" || o.Seconds > 30 {
		t.Errorf("timed out: %s, %+v", how, o)
	}
}

func TestAllocated(t *testing.T) {
	dir := t.TempDir()
	sparse, err := os.Create(filepath.Join(dir, "sparse"))
	if err != nil {
		t.Fatal(err)
	}
	defer sparse.Close()
	if err := sparse.Truncate(1 << 30); err != nil {
		t.Fatal(err)
	}
	full := filepath.Join(dir, "full")
	if err := os.WriteFile(full, make([]byte, 1<<20), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Link(full, filepath.Join(dir, "again")); err != nil {
		t.Fatal(err)
	}
	unix.Sync() // blocks may be given late
	if got := allocated(dir); got < 1<<20 || got > 2<<20-1 {
		t.Errorf("a hole, a megabyte and its second name take %d bytes", got)
	}
}
