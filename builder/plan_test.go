package builder_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/knng/knng/builder"
	"github.com/knng/knng/vectors"
	"github.com/knng/knng/vectors/distance"
)

// near reports whether two sizes are within a quarter of each other.
func near(planned, found int64) bool { return 4*max(planned, found) <= 5*min(planned, found) }

// TestPlanHolds: what a build was expected to take on disk and to write is within a
// quarter of what it took, with every method where counts are fixed; memory of a test's
// process, and time, say nothing. The plan made beforehand is the one at its head.
func TestPlanHolds(t *testing.T) {
	defer builder.KeepEvery(time.Hour)() // clocks write nothing
	defer builder.CalibrateFor(20 * time.Millisecond)()
	const n, dim = 8000, 64
	rng, data := rand.New(rand.NewPCG(3, 3)), make([]float32, n*dim)
	for i := range data {
		data[i] = rng.Float32()
	}
	for name, o := range map[string]builder.Options{
		"exact": {K: 10, Method: builder.Exact},
		"paper": {K: 10, Method: builder.Paper, Divisions: 4, Rounds: 1},
		"balls": {K: 10, Method: builder.Balls, Divisions: 8, Rounds: 1},
		"parts": {K: 10, Method: builder.Parts, Divisions: 8},
		"inner": {K: 10, Method: builder.Parts, Metric: distance.IP, Divisions: 8},
	} {
		before, err := builder.Plan(context.Background(), input(t, data, dim), o)
		if err != nil {
			t.Fatal(err)
		}
		res, _ := build(t, filepath.Join(t.TempDir(), "g"), input(t, data, dim), o)
		p := res.Plan
		if p == nil {
			t.Errorf("%s: the result has no plan", name)
			continue
		}
		if !near(p.PeakDiskBytes, res.PeakDiskBytes) {
			t.Errorf("%s: %d bytes of disk planned, %d taken", name, p.PeakDiskBytes, res.PeakDiskBytes)
		}
		if !near(p.WrittenBytes, res.WrittenBytes) {
			t.Errorf("%s: %d bytes to be written, %d were", name, p.WrittenBytes, res.WrittenBytes)
		}
		if p.Divisions != res.Divisions || int(p.Rounds) != res.Rounds || res.RevisedPlan != nil {
			t.Errorf("%s: %d divisions and %v rounds planned, %d and %d done", name, p.Divisions, p.Rounds, res.Divisions, res.Rounds)
		}
		if before.PeakAnonBytes != p.PeakAnonBytes || before.Divisions != p.Divisions || before.Rates == nil {
			t.Errorf("%s: planned %+v, at the head of the build %+v", name, before, p)
		}
	}
}

// TestPlanOfFew: inputs of a few rows can be planned by every method.
func TestPlanOfFew(t *testing.T) {
	defer builder.CalibrateFor(20 * time.Millisecond)()
	for _, n := range []int{1, 2, 3, 9} {
		for _, m := range []builder.Method{builder.Auto, builder.Exact, builder.Balls, builder.Parts, builder.Paper} {
			p, err := builder.Plan(context.Background(), input(t, clustered(5, n, 3), 3), builder.Options{K: 5, Method: m})
			if err != nil || p.Rows != int64(n) || !(p.Seconds > 0) {
				t.Errorf("%d rows, method %s: %+v, %v", n, m, p, err)
			}
		}
	}
}

// TestRoomBeforePhases: where the disk has no room for what comes, a build stops before
// it is begun, says how much is missing and where, and goes on when there is room.
func TestRoomBeforePhases(t *testing.T) {
	if os.Geteuid() != 0 || runtime.GOOS != "linux" {
		t.Skip("mounts a file system: run it as root on Linux")
	}
	const n, dim, size = 20000, 32, 32 << 20 // 2.4 MiB of rows, 1.7 MiB of lists
	disk := t.TempDir()
	if out, err := exec.Command("mount", "-t", "tmpfs", "-o", "size="+strconv.Itoa(size), "knng", disk).CombinedOutput(); err != nil {
		t.Skipf("cannot mount: %v %s", err, out)
	}
	defer exec.Command("umount", "-l", disk).Run()
	data, dir, ballast := clustered(13, n, dim), filepath.Join(disk, "g"), filepath.Join(disk, "ballast")
	o := builder.Options{K: 10, Method: builder.Balls, Divisions: 4, Rounds: 1}
	want, _ := build(t, filepath.Join(t.TempDir(), "g"), input(t, data, dim), o)
	for _, c := range []struct {
		room int64
		what string
	}{{1 << 20, "the copy of the rows takes"}, {1 << 20, "the adjacency with its view and catalog takes"}} {
		o.Progress = func(e builder.Event) {
			if _, err := os.Stat(ballast); err != nil && (strings.Contains(c.what, "rows") && e.Phase == "audit" || e.Phase == "rerank" || e.Phase == "propagation 1") {
				os.WriteFile(ballast, make([]byte, size), 0o666) // as much as there is room for
				if info, err := os.Stat(ballast); err == nil {
					os.Truncate(ballast, info.Size()-c.room)
				}
			}
		}
		_, err := builder.Build(context.Background(), dir, input(t, data, dim), o)
		if !errors.Is(err, builder.ErrSpace) || !strings.Contains(err.Error(), c.what) || !strings.Contains(err.Error(), "are missing") {
			t.Errorf("error %v, want ErrSpace that says %q", err, c.what)
		}
		os.Remove(ballast)
	}
	o.Progress = nil
	got, err := builder.Build(context.Background(), dir, input(t, data, dim), o)
	if err != nil || got.Checksum != want.Checksum || got.Resumed == 0 {
		t.Errorf("with room: %+v, %v", got, err)
	}
}

// TestPlanBudget: a plan of a short build is there at once, that of a long one measures longer.
func TestPlanBudget(t *testing.T) {
	for seconds, want := range map[float64]time.Duration{0.001: 20 * time.Millisecond, 5: 20 * time.Millisecond,
		20: 40 * time.Millisecond, 3600: time.Second} {
		if got := builder.PlanBudget(seconds); got != want {
			t.Errorf("a build of %v s: %v, want %v", seconds, got, want)
		}
	}
}

func ExamplePlan() {
	rows := make([]float32, 20000)
	for i := range rows {
		rows[i] = float32(i % 97)
	}
	in, _ := vectors.FromFloat32(rows, 4)
	p, err := builder.Plan(context.Background(), vectors.NewInput(in), builder.Options{K: 10})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(p.Course())
	fmt.Println(p.PeakDiskBytes > 0, p.PeakAnonBytes > 0, p.Seconds > 0)
	// Output:
	// method exact, 5000 rows of 4, k=10: all pairs
	// true true true
}
