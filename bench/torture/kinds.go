package torture

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"time"
)

// A kind of cases: it prepares the store and states the expectation.
type kind struct {
	name    string
	weight  int
	prepare func(w *world, s *Spec, rng *rand.Rand) error
}

// errSkipped says that this machine cannot do a kind.
type errSkipped struct{ error }

var kinds = []kind{
	{"finished", 8, func(w *world, s *Spec, rng *rand.Rand) error {
		s.Expect = intact
		if err := w.copyGolden(s); err != nil {
			return err
		}
		err := w.spoil(s, rng, 1+rng.IntN(2)*rng.IntN(3))
		s.Harmed = harmed(filepath.Join(w.home(), "s"), w.golden[s.Build+s.Input].dir)
		return err
	}},
	{"forged", 3, func(w *world, s *Spec, rng *rand.Rand) error {
		s.Expect = forged
		if err := w.copyGolden(s); err != nil {
			return err
		}
		if err := w.spoil(s, rng, 1+rng.IntN(3)); err != nil {
			return err
		}
		s.did("a seal that fits")
		return forge(filepath.Join(w.home(), "s"))
	}},
	{"killed at a time", 4, func(w *world, s *Spec, rng *rand.Rand) error {
		s.Expect = resumed
		return w.interrupt(s, rng, 1+rng.IntN(3), w.killedAtTime)
	}},
	{"killed at a system call", 4, func(w *world, s *Spec, rng *rand.Rand) error {
		s.Expect = resumed
		return w.interrupt(s, rng, 1+rng.IntN(2), w.killedAtCall)
	}},
	{"killed and attacked", 8, func(w *world, s *Spec, rng *rand.Rand) error {
		s.Expect = damaged
		how := w.killedAtTime
		if rng.IntN(2) == 0 {
			how = w.killedAtCall
		}
		if err := w.interrupt(s, rng, 1, how); err != nil {
			return err
		}
		return w.spoil(s, rng, 1+rng.IntN(2)*rng.IntN(2))
	}},
	{"a call fails", 4, func(w *world, s *Spec, rng *rand.Rand) error {
		s.Expect = resumed
		return w.interrupt(s, rng, 1, w.failedCall)
	}},
	{"full disk", 2, fullDisk},
	{"two builders", 2, twoBuilders},
}

// interrupt disturbs a build some times.
func (w *world) interrupt(s *Spec, rng *rand.Rand, times int, how func(s *Spec, rng *rand.Rand) error) error {
	for range times {
		if err := how(s, rng); err != nil {
			return err
		}
	}
	return nil
}

// once runs the build of a case; the end of ctx kills it.
func (w *world) once(ctx context.Context, s *Spec, behind ...string) result {
	return w.start(ctx, w.home(), behind, w.args(buildNamed(s.Build), s.Input, "s")...)
}

func (w *world) killedAtTime(s *Spec, rng *rand.Rand) error {
	took := w.golden[s.Build+s.Input].took
	after := time.Duration(rng.Float64() * float64(took))
	ctx, cancel := context.WithTimeout(context.Background(), after)
	defer cancel()
	w.once(ctx, s)
	s.did("killed after %v", after.Round(time.Millisecond))
	return nil
}

// calls are those at which builds are killed, and those that fail, with the errors of disks.
var (
	calls  = []string{"fsync", "fdatasync", "renameat", "unlinkat", "linkat", "openat", "write", "pwrite64", "ftruncate", "mkdirat"}
	errnos = []string{"EIO", "ENOSPC", "EDQUOT"}
)

// traced runs the build behind strace, which does something at a system call.
func (w *world) traced(s *Spec, call, inject string) (result, error) {
	if _, err := exec.LookPath("strace"); err != nil {
		return result{}, errSkipped{err}
	}
	ctx, cancel := context.WithTimeout(context.Background(), 2*w.patience)
	defer cancel()
	r := w.once(ctx, s, "strace", "-f", "-qq", "-o", "/dev/null", "-e", "trace="+call, "-e", "inject="+call+":"+inject)
	s.did("%s: %s: exit %d", call, inject, r.Code)
	if r.Hung {
		s.wrong("did not end with %s of %s", inject, call)
	}
	return r, nil
}

func (w *world) killedAtCall(s *Spec, rng *rand.Rand) error {
	call := calls[rng.IntN(len(calls))]
	_, err := w.traced(s, call, fmt.Sprintf("signal=KILL:when=%d", 1+rng.IntN(60)))
	return err
}

func (w *world) failedCall(s *Spec, rng *rand.Rand) error {
	call := append([]string{"read", "pread64", "fallocate"}, calls...)[rng.IntN(len(calls)+3)]
	from := 1 + rng.IntN(60)
	if call == "read" || call == "openat" {
		from += 20 // those of Go's own start
	}
	when := fmt.Sprintf("error=%s:when=%d", errnos[rng.IntN(len(errnos))], from)
	if rng.IntN(2) == 0 && call != "openat" && call != "read" {
		when += "+" // and from there on
	}
	r, err := w.traced(s, call, when)
	if r.panicked() && !r.Hung && !strings.Contains(r.Stderr, ownWrite) {
		s.wrong("%s: %.800q", when, r.Stderr)
	}
	return err
}

// ownWrite is the last word of Go's runtime where a write between its own threads fails, which
// no disk is the cause of.
const ownWrite = "runtime: netpollBreak write failed"

// fullDisk builds on a disk that is too small, and goes on once it is larger.
func fullDisk(w *world, s *Spec, rng *rand.Rand) error {
	s.Expect = resumed
	store := filepath.Join(w.home(), "s")
	if err := os.Mkdir(store, 0o777); err != nil {
		return err
	}
	size := 40 + rng.IntN(700)
	mount := func(args ...string) error {
		out, err := exec.Command("mount", append([]string{"-t", "tmpfs"}, args...)...).CombinedOutput()
		if err != nil {
			return errSkipped{fmt.Errorf("mount: %w: %s", err, out)}
		}
		return nil
	}
	if err := mount("-o", fmt.Sprintf("size=%dk", size), "none", store); err != nil {
		return err
	}
	r := w.once(context.Background(), s)
	s.did("a disk of %d KiB: exit %d, %.100q", size, r.Code, r.Stderr)
	if r.panicked() || r.Code != 0 && r.Code != exitShort && !r.failed() {
		s.wrong("on a full disk: exit %d, %.500q", r.Code, r.Stderr)
	}
	// The build goes on in a folder again, as the disk goes with the case.
	err := os.CopyFS(filepath.Join(w.home(), "copy"), os.DirFS(store))
	if out, unmountErr := exec.Command("umount", store).CombinedOutput(); unmountErr != nil {
		return fmt.Errorf("torture: umount %s: %w: %s", store, unmountErr, out)
	}
	if err == nil {
		err = os.Remove(store)
	}
	if err == nil {
		err = os.Rename(filepath.Join(w.home(), "copy"), store)
	}
	return err
}

// twoBuilders has two processes build one store, and others look at it.
func twoBuilders(w *world, s *Spec, rng *rand.Rand) error {
	s.Expect = resumed
	took := w.golden[s.Build+s.Input].took
	var g sync.WaitGroup
	results := make([]result, 2)
	for i := range results {
		wait := time.Duration(rng.Float64() * float64(i) * float64(took) * 1.1)
		g.Go(func() {
			time.Sleep(wait)
			results[i] = w.run(w.home(), w.args(buildNamed(s.Build), s.Input, "s")...)
		})
	}
	for range 4 {
		if r := w.run(w.home(), "info", "s"); r.Hung || r.panicked() || r.Code != 0 && !r.failed() {
			s.wrong("info beside builds: exit %d, %.300q", r.Code, r.Stderr)
		}
	}
	g.Wait()
	done := 0
	for _, r := range results {
		s.did("a builder: exit %d, %.100q", r.Code, r.Stderr)
		switch {
		case r.Code == 0 || r.Code == exitShort:
			done++
		case r.Code != 5 || r.Hung || r.panicked() || !r.failed():
			s.wrong("a builder beside another: exit %d, %.500q", r.Code, r.Stderr)
		}
	}
	if done == 0 {
		s.wrong("of two builders none came to its end")
	}
	return nil
}
