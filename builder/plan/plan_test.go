package plan_test

import (
	"encoding/json"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/knng/knng/builder/internal/fixed"
	"github.com/knng/knng/builder/plan"
)

var kinds = map[string]plan.Kind{"exact": plan.AllPairs, "tree": plan.Searches, "paper": plan.Leaves, "balls": plan.Balls, "parts": plan.Groups}

func shape(method string, rows int64) plan.Shape {
	return plan.Shape{
		Method: method, Kind: kinds[method], Rows: rows, Outputs: rows, Dim: 128, RowBytes: 128, CodeBytes: 8, ViewCodes: true, KeyCodes: true,
		K: 20, Slack: 8, LeafSize: 500, Overlap: 4, Divisions: 8, Rounds: 1, Visits: 500, Recall: 0.95, Threads: 2,
		Parts: plan.Parts{GroupRows: 100_000, Leaders: int(rows / 250), Ledger: 1 << 30, Stripe: 4 << 20},
	}
}

// TestPeaks: what a plan says of the whole is what it says of its passes, with every
// method and from one row to a billion, and grows with the rows.
func TestPeaks(t *testing.T) {
	for _, method := range []string{"exact", "balls", "parts", "paper"} {
		var before plan.Plan
		for _, rows := range []int64{1, 2, 1000, 1_000_000, 1_000_000_000} {
			s := shape(method, rows)
			p := plan.Of(s, plan.Nominal(s, 1))
			var anon, disk, read, written int64
			var seconds float64
			for _, x := range p.Passes {
				anon, disk = max(anon, x.AnonBytes), max(disk, x.DiskBytes)
				read, written, seconds = read+x.ReadBytes, written+x.WrittenBytes, seconds+x.Seconds
				if x.AnonBytes <= 0 || x.DiskBytes < 0 || x.ReadBytes < 0 || x.WrittenBytes < 0 || !(x.Seconds >= 0) || x.Name == "" || x.Does == "" {
					t.Errorf("%s, %d rows: pass %+v", method, rows, x)
				}
			}
			if anon != p.PeakAnonBytes || disk != p.PeakDiskBytes || read != p.ReadBytes || written != p.WrittenBytes || math.Abs(seconds-p.Seconds) > 1e-9*seconds {
				t.Errorf("%s, %d rows: %+v is not what its passes say", method, rows, p)
			}
			if p.PeakAnonBytes < before.PeakAnonBytes || p.WrittenBytes <= before.WrittenBytes || p.Seconds <= before.Seconds {
				t.Errorf("%s: %d rows take less than fewer", method, rows)
			}
			before = *p
		}
	}
}

// TestHeld: memory that the caller has for the build is part of its plan.
func TestHeld(t *testing.T) {
	for method := range kinds {
		s := shape(method, 1_000_000)
		before := plan.Of(s, plan.Nominal(s, 1)).PeakAnonBytes
		s.Held = 8_000_000
		if more := plan.Of(s, plan.Nominal(s, 1)).PeakAnonBytes - before; more != s.Held {
			t.Errorf("%s: %d bytes more, want %d", method, more, s.Held)
		}
	}
}

// TestLedger: without a ledger the parts method takes less memory and no less disk. The leaves of rows are on disk either way.
func TestLedger(t *testing.T) {
	s := shape("parts", 10_000_000)
	rich := plan.Of(s, plan.Nominal(s, 1))
	s.Parts.Ledger = 0
	poor := plan.Of(s, plan.Nominal(s, 1))
	for i, x := range poor.Passes {
		if y := rich.Passes[i]; x.AnonBytes > y.AnonBytes || x.Name == "divisions" && (x.AnonBytes == y.AnonBytes || x.DiskBytes < y.DiskBytes) {
			t.Errorf("%s: without a ledger %d bytes of memory and %d of disk, with one %d and %d", x.Name, x.AnonBytes, x.DiskBytes, y.AnonBytes, y.DiskBytes)
		}
	}
}

// TestLedgerIsShared: no pass takes more memory than without a ledger and the ledger's room, since
// the blocks that grow with the rows share it.
func TestLedgerIsShared(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 2000 {
		s := shape("parts", int64(1e6*math.Pow(1000, rng.Float64())))
		s.Parts.Ledger = 0
		poor := plan.Of(s, plan.Nominal(s, 1))
		s.Parts.Ledger = int64(40 * rng.Float64() * float64(s.Rows))
		rich := plan.Of(s, plan.Nominal(s, 1))
		for i, x := range rich.Passes {
			if least := poor.Passes[i].AnonBytes; x.AnonBytes > least+s.Parts.Ledger {
				t.Fatalf("%d rows, %s: %d bytes of memory, %d with no ledger, which has %d", s.Rows, x.Name, x.AnonBytes, least, s.Parts.Ledger)
			}
		}
	}
}

// TestSpillInMemory: with room for a batch of groups its rows are in memory, not written; with less room there
// are more batches, each of which reads all rows.
func TestSpillInMemory(t *testing.T) {
	s := shape("parts", 10_000_000)
	some := plan.Of(s, plan.Nominal(s, 1)).Pass("divisions")
	s.Parts.Ledger = s.Rows * 30
	file := plan.Of(s, plan.Nominal(s, 1)).Pass("divisions")
	s.Parts.Ledger = 4 << 30
	memory := plan.Of(s, plan.Nominal(s, 1)).Pass("divisions")
	rows := s.Rows * s.RowBytes
	if more := memory.AnonBytes - file.AnonBytes; more < rows || more > rows*7/5 {
		t.Errorf("%d bytes of memory more, want about %d", more, rows)
	}
	if some.WrittenBytes != memory.WrittenBytes || some.AnonBytes >= memory.AnonBytes || some.ReadBytes < memory.ReadBytes+rows {
		t.Errorf("with room for a part %d bytes written, %d of memory, %d read; with more %d, %d, %d",
			some.WrittenBytes, some.AnonBytes, some.ReadBytes, memory.WrittenBytes, memory.AnonBytes, memory.ReadBytes)
	}
	if less := file.WrittenBytes - memory.WrittenBytes; less < 2*rows {
		t.Errorf("%d bytes less are written, want more than %d", less, 2*rows)
	}
	if file.DiskBytes-memory.DiskBytes < rows {
		t.Errorf("%d bytes of disk, with a file %d", memory.DiskBytes, file.DiskBytes)
	}
}

// TestAim: a higher recall, and rows of a higher dimension, never take less; and the
// builds that the estimate was fitted to come out about as they were.
func TestAim(t *testing.T) {
	aim := plan.Aim{Switch: 0.75, Rows: 200_000, Overlap: 4, LeafSize: 500, Most: 64}
	for _, aim.Intrinsic = range []float64{0, 5, 10, 20, 40, 80} {
		leaves, rounds, divided := 0, 0.0, 0
		for _, aim.Recall = range []float64{0.5, 0.8, 0.9, 0.95, 0.99, 1} {
			l, r := aim.Balls()
			p := aim.Parts(500)
			if l < leaves || l > 64 || p < divided || p > 64 || l == leaves && r < rounds {
				t.Errorf("dimension %v, recall %v: %d leaves and %v rounds after %d and %v; parts %d after %d", aim.Intrinsic, aim.Recall, l, r, leaves, rounds, p, divided)
			}
			leaves, rounds, divided = l, r, p
		}
	}
	for _, c := range []struct {
		rows      int64
		intrinsic float64
		leafSize  int
		recall    float64
		over      float64 // joins take over
		leaves    int     // found
	}{
		{70_000, 11.1, 500, 0.95, 0.75, 4}, {200_000, 15.7, 500, 0.95, 0.75, 8},
		{1_000_000, 16, 500, 0.95, 0.75, 16}, {60_000, 25.8, 500, 0.95, 0.75, 12},
		{70_000, 11.1, 1000, 0.99, 0.94, 8}, {200_000, 15.7, 1000, 0.99, 0.94, 16},
		{1_000_000, 16, 1000, 0.99, 0.94, 24}, {60_000, 25.8, 1000, 0.99, 0.94, 20},
	} {
		a := plan.Aim{Recall: c.recall, Switch: c.over, Rows: c.rows, Intrinsic: c.intrinsic, Overlap: 4, LeafSize: c.leafSize, Most: 64}
		if leaves, rounds := a.Balls(); leaves < c.leaves-4 || leaves > c.leaves+4 || rounds > 2 {
			t.Errorf("%d rows of dimension %v: %d leaves and %v rounds, found %d", c.rows, c.intrinsic, leaves, rounds, c.leaves)
		}
	}
}

// TestAfterDivision: builds that went on dividing found about what was to be expected.
func TestAfterDivision(t *testing.T) {
	for _, found := range [][]float64{
		{0.887, 0.982},               // MNIST
		{0.640, 0.814, 0.916, 0.955}, // SIFT, 200,000 rows
		{0.555, 0.733, 0.844, 0.901}, // SIFT
		{0.572, 0.772, 0.880, 0.927}, // GIST
	} {
		for i, next := range found[1:] {
			if got := fixed.AfterDivision(found[i], 4*(i+1), 4); math.Abs(got-next) > 0.025 {
				t.Errorf("after %v in %d balls: %.3f, found %.3f", found[i], 4*(i+1), got, next)
			}
		}
	}
	if got := fixed.AfterDivision(1, 4, 4); got != 1 {
		t.Errorf("after all: %v", got)
	}
}

// TestRoundsThatEnded: a round that ended early is not gone on with: the next one is a whole one.
func TestRoundsThatEnded(t *testing.T) {
	a := plan.Aim{Recall: 0.95, Switch: 0.9, Rows: 100_000, Overlap: 4, LeafSize: 1000, Most: 64}
	s := plan.Stand{Leaves: 8, Rounds: 1, Recall: 0.9, Before: 0.75, Wanted: 0.95, First: 0.7}
	leaves, rounds := a.Ahead(plan.Balls, s)
	s.Rounds = 0.25
	earlier, fewer := a.Ahead(plan.Balls, s)
	if earlier != leaves || math.Abs(rounds-fewer-0.75) > 1e-9 {
		t.Errorf("after a whole round %d leaves and %v rounds, after a quarter of one %d and %v", leaves, rounds, earlier, fewer)
	}
	s.Open = 0.25
	if _, going := a.Ahead(plan.Balls, s); going >= fewer {
		t.Errorf("%v rounds where the first goes on, %v where it ended", going, fewer)
	}
}

// TestPlanThroughJSON: a plan that was written and read says the same, so that it can be estimated for
// many machines.
func TestPlanThroughJSON(t *testing.T) {
	for method := range kinds {
		s := shape(method, 1_000_000)
		p := plan.Of(s, plan.Nominal(s, 1))
		text, err := json.Marshal(p)
		if err != nil {
			t.Fatal(err)
		}
		var read plan.Plan
		if err := json.Unmarshal(text, &read); err != nil {
			t.Fatal(err)
		}
		if read.InGroups != p.InGroups || (p.InGroups >= 1) != (method == "parts") {
			t.Errorf("%s: a row is in %v groups, read as %v", method, p.InGroups, read.InGroups)
		}
		if lines := read.Lines(); !slices.Equal(lines, p.Lines()) || strings.HasSuffix(lines[0], ": ") {
			t.Errorf("%s: %q, read as %q", method, p.Lines(), lines)
		}
	}
}

// TestInnerPlan: under inner products rows of the parts method look into balls, stand in no groups of
// leaves, and pairs grow with the looks and with the size of balls; of the blocks that grow with the
// rows no pass has more than the ledger gives.
func TestInnerPlan(t *testing.T) {
	s := shape("parts", 1_000_000)
	s.Inner, s.Parts.Stretch = true, 100_000
	p := plan.Of(s, plan.Nominal(s, 1))
	if line := p.Course(); p.InGroups != 0 || strings.Contains(line, "leaves") || !strings.Contains(line, "each row looks into 8 balls") {
		t.Errorf("%q, %v groups", line, p.InGroups)
	}
	s.Divisions *= 2
	if more := plan.Of(s, plan.Nominal(s, 1)).Pass("divisions").Seconds; math.Abs(more-2*p.Pass("divisions").Seconds) > 0.01*more {
		t.Errorf("%v s for twice the divisions, %v s for one time", more, p.Pass("divisions").Seconds)
	}
	for _, bytes := range []int64{10, 40, 200, 400, 1000} {
		s.Parts.Ledger = 0
		poor := plan.Of(s, plan.Nominal(s, 1))
		s.Parts.Ledger = bytes * s.Rows
		for i, x := range plan.Of(s, plan.Nominal(s, 1)).Passes {
			if least := poor.Passes[i].AnonBytes; x.AnonBytes > least+s.Parts.Ledger {
				t.Errorf("%s: %d bytes of memory, %d with no ledger, which has %d", x.Name, x.AnonBytes, least, s.Parts.Ledger)
			}
		}
	}
}

// TestLinksUnderALimit: links whose arcs do not fit in their memory take longer, those that fit do not, and only the
// entries of a list that are followed count.
func TestLinksUnderALimit(t *testing.T) {
	links := func(rows, k, memory int64) float64 {
		s := shape("balls", rows)
		s.K, s.LinksMemory = k, memory
		return plan.Of(s, plan.Nominal(s, 1)).LinksSeconds
	}
	if free, fits, spilled := links(4_000_000, 20, 0), links(4_000_000, 20, 1<<30), links(4_000_000, 20, 256<<20); fits != free || spilled < 1.1*free || spilled > 1.5*free {
		t.Errorf("links take %g s, in 1 GiB %g, in 256 MiB %g", free, fits, spilled)
	}
	if few, listed, many := links(100_000, 10, 0), links(100_000, 20, 0), links(100_000, 100, 0); few >= listed || many != listed {
		t.Errorf("links take %g s of 10 neighbors, %g of 20, %g of 100", few, listed, many)
	}
}

// TestSearchFiles: searches take links, a scratch file while these are made of arcs that do not fit, and a copy of the rows that stand
// as they came; the copy is made at once where the memory of a search holds neither rows nor links.
func TestSearchFiles(t *testing.T) {
	of := func(change func(*plan.Shape)) plan.SearchFiles {
		s := shape("parts", 1_000_000)
		s.RowBytes = 128
		change(&s)
		return *plan.Of(s, plan.Nominal(s, 1)).Search
	}
	const head, links, rows = 4096, 160_000_000, 132_000_000
	want := plan.SearchFiles{LinksBytes: head + links, HeldBytes: head + links + 128_000_000}
	if got := of(func(s *plan.Shape) { s.K = 100 }); got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
	want.RowsBytes = head + rows
	if got := of(func(s *plan.Shape) { s.Came, s.SearchMemory = true, 1<<30 }); got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
	want.ScratchBytes = 9 * 20_000_000
	if got := of(func(s *plan.Shape) { s.Came, s.LinksMemory = true, 1<<20 }); got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
	want.ScratchBytes, want.RowsAtOnce = 2*want.ScratchBytes, true
	if got := of(func(s *plan.Shape) { s.Came, s.LinksMemory, s.SearchMemory = true, 1<<20, 1<<28 }); got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
	if got := of(func(s *plan.Shape) { s.Came, s.Rows = true, 256 }); got.RowsBytes != 0 {
		t.Errorf("%+v of few rows", got)
	}
}
