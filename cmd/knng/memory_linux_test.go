package main

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/knng/knng/bench/capped"
	"github.com/knng/knng/bench/generate"
	"github.com/knng/knng/vectors"
)

var long = flag.Bool("long", false, "build in parts a graph whose lists do not fit its memory: a minute")

// TestMemoryIsBounded: a build's anonymous memory stays under the least limit that
// its method takes.
func TestMemoryIsBounded(t *testing.T) {
	if _, err := os.Stat("/proc/self/status"); err != nil {
		t.Skip("there is no /proc to look at the memory of a process:", err)
	}
	if testing.Short() {
		t.Skip("builds 60,000 rows: runs without -short")
	}
	rows := filepath.Join(t.TempDir(), "rows.u8bin")
	set, err := generate.New(200000, 32, vectors.Uint8, 1)
	if err != nil {
		t.Fatal(err)
	}
	if err := set.Write(t.Context(), rows); err != nil {
		t.Fatal(err)
	}
	t.Run("balls", func(t *testing.T) {
		bounded(t, rows, "-k", "20", "--method", "balls", "--divisions", "4", "--rounds", "1", "--limit-rows", "60000")
	})
	t.Run("parts", func(t *testing.T) {
		bounded(t, rows, "-k", "20", "--method", "parts", "--divisions", "1", "--limit-rows", "60000")
	})
	t.Run("parts that do not fit", func(t *testing.T) {
		if !*long {
			t.Skip("builds 200,000 lists of 100: runs with -long")
		}
		limit := bounded(t, rows, "-k", "100", "--method", "parts", "--divisions", "1")
		if held := needed(t, rows, "-k", "100", "--method", "balls"); held < 2*limit {
			t.Errorf("balls hold the lists in %d bytes: of %d they do not overflow by much", held, limit)
		}
	})
}

// TestPlanIsEnough: plan and refusal name one number, a build keeps within it, and it is at
// most a quarter more than a build takes that has all memory: on small data too.
func TestPlanIsEnough(t *testing.T) {
	if _, err := os.Stat("/proc/self/status"); err != nil {
		t.Skip("there is no /proc to look at the memory of a process:", err)
	}
	for _, of := range []struct {
		rows, dim int
		methods   []string
	}{
		{5000, 32, []string{"exact", "balls", "parts", "parts --metric l1", "parts --metric ip", "paper", "balls --duplicates collapse"}},
		{5000, 3, []string{"tree"}},
		{2000, 128, []string{"parts"}}, // a group that is not full
		{40000, 128, []string{"parts", "parts --metric ip"}},
	} {
		rows := filepath.Join(t.TempDir(), "rows.u8bin")
		set, err := generate.New(of.rows, of.dim, vectors.Uint8, 1)
		if err == nil {
			err = set.Write(t.Context(), rows)
		}
		if err != nil {
			t.Fatal(err)
		}
		for _, method := range of.methods {
			t.Run(fmt.Sprintf("%s of %d rows", method, of.rows), func(t *testing.T) {
				flags := append([]string{"-k", "10", "--threads", "2", "--search", "off", "--method"}, strings.Fields(method)...)
				limit := needed(t, rows, flags...)
				if planned := plannedLeast(t, rows, flags...); max(planned, limit)-min(planned, limit) > 1<<18 {
					t.Errorf("plan names %d bytes, the refusal %d", planned, limit)
				}
				held := peak(t, rows, append(flags, "--memory", strconv.FormatInt(limit, 10))...)
				if held > limit {
					t.Errorf("%d bytes of anonymous memory, the limit is %d", held, limit)
				}
				free := int64(0)
				enough := func() bool { most := max(held, free); return limit <= most+most/4+unseen }
				for i := 0; i < 3 && (i == 0 || !enough()); i++ { // on a busy machine samples are further apart
					free = max(free, peak(t, rows, flags...))
				}
				if !enough() {
					t.Errorf("%d bytes are asked for, and %d taken", limit, max(held, free))
				}
				t.Logf("%.1f MiB asked for, %.1f taken, %.1f without a limit", float64(limit)/(1<<20), float64(held)/(1<<20), float64(free)/(1<<20))
			})
		}
	}
}

// unseen is as much of a peak as samples, 10 ms apart, may miss in builds of a tenth of a second.
const unseen = 4 << 20

// peak is the anonymous memory of a build.
func peak(t *testing.T, rows string, flags ...string) int64 {
	t.Helper()
	o := observed(t, append([]string{"build", rows, "-o", filepath.Join(t.TempDir(), "g"), "--quiet"}, flags...)...)
	return o.PeakAnon
}

// plannedLeast is the least limit that plan names.
func plannedLeast(t *testing.T, rows string, flags ...string) int64 {
	t.Helper()
	out, err := asKnng(append([]string{"plan", rows, "--json"}, flags...)...).Output()
	var p struct {
		Least int64 `json:"least_bytes"`
	}
	if err == nil {
		err = json.Unmarshal(out, &p)
	}
	if err != nil {
		t.Fatal(err)
	}
	return p.Least
}

// observed runs knng and watches its memory.
func observed(t *testing.T, args ...string) *capped.Outcome {
	t.Helper()
	knng := filepath.Join(t.TempDir(), "knng") // this test binary, which goes by its name
	if err := os.Symlink(os.Args[0], knng); err != nil {
		t.Fatal(err)
	}
	c := capped.Config{Args: append([]string{knng}, args...)}
	o, err := c.Run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if how, failed := o.Failed(); failed {
		t.Fatalf("%s: %s", how, o.Errors)
	}
	return o
}

// bounded builds with no more memory than the build asks for, and returns that.
func bounded(t *testing.T, rows string, flags ...string) (limit int64) {
	t.Helper()
	limit = needed(t, rows, flags...)
	o := observed(t, append([]string{"build", rows, "-o", filepath.Join(t.TempDir(), "g"), "--memory", strconv.FormatInt(limit, 10), "--quiet"}, flags...)...)
	if o.Samples < 10 || o.PeakAnon == 0 {
		t.Fatalf("%d samples, peak %d bytes: the memory was not seen", o.Samples, o.PeakAnon)
	}
	if o.PeakAnon > limit {
		t.Errorf("%d bytes of anonymous memory, the limit is %d", o.PeakAnon, limit)
	}
	t.Logf("%.1f of %.1f MiB, %d samples in %.1f s, at most %.2f s apart",
		float64(o.PeakAnon)/(1<<20), float64(limit)/(1<<20), o.Samples, o.Seconds, o.LongestGap)
	return limit
}

// needed is the least --memory, as the refusal of a byte names it.
func needed(t *testing.T, rows string, flags ...string) int64 {
	t.Helper()
	cmd := asKnng(append([]string{"build", rows, "-o", filepath.Join(t.TempDir(), "g"), "--memory", "1"}, flags...)...)
	said, err := cmd.CombinedOutput()
	if code := cmd.ProcessState.ExitCode(); code != exitResumable {
		t.Fatalf("with a byte of memory: %v: %s", err, said)
	}
	_, after, _ := bytes.Cut(said, []byte(" need "))
	var mebibytes float64
	if _, err := fmt.Sscanf(string(after), "%f MiB", &mebibytes); err != nil {
		t.Fatalf("no need is named: %s", said)
	}
	return int64(mebibytes * (1 << 20))
}
