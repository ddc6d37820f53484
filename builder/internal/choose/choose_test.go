package choose_test

import (
	"math/rand/v2"
	"testing"

	"github.com/knng/knng/builder/internal/build"
	"github.com/knng/knng/builder/internal/buildtest"
	"github.com/knng/knng/builder/internal/choose"
	"github.com/knng/knng/builder/internal/job"
	"github.com/knng/knng/builder/internal/rowstest"
	"github.com/knng/knng/vectors/distance"
)

// options are the defaults of a build.
func options(change func(*choose.Options)) choose.Options {
	o := choose.Options{Method: job.AutoMethod, K: 20, LeafSize: 1000, Recall: 0.95, Slack: 8, Metric: distance.Euclidean, Threads: 2}
	change(&o)
	return o
}

// TestByCounts: few rows are compared with all others, more by balls, and so many that the lists of
// balls exceed 4 GiB in parts; options that a method does not know lead past it.
func TestByCounts(t *testing.T) {
	plain := func(*choose.Options) {}
	own := func(o *choose.Options) { o.Own, o.PaperOnly = true, true }
	trigger := func(o *choose.Options) { o.PaperOnly, o.LeafSize = true, 500 }
	for _, c := range []struct {
		name   string
		change func(*choose.Options)
		n, dim int
		want   string
	}{
		{"as asked", func(o *choose.Options) { o.Method = job.PaperMethod }, 10, 2, job.PaperMethod},
		{"one row", plain, 1, 128, job.ExactMethod},
		{"below a leaf", plain, 999, 1 << 16, job.ExactMethod},
		{"10,000 of 128", plain, 10_000, 128, job.ExactMethod},
		{"70,000 of 50, MNIST by principal axes", plain, 70_000, 50, job.BallsMethod},
		{"62,500 of 128", plain, 62_500, 128, job.BallsMethod},
		{"a million of 128", plain, 1_000_000, 128, job.BallsMethod},
		{"a hundred million of 128", plain, 100_000_000, 128, job.PartsMethod},
		{"those collapsed", func(o *choose.Options) { o.Collapse = true }, 100_000_000, 128, job.BallsMethod},
		{"those with rounds", func(o *choose.Options) { o.Rounds = 1 }, 100_000_000, 128, job.BallsMethod},
		{"those with long lists", func(o *choose.Options) { o.K = choose.MaxPartsK + 1 }, 100_000_000, 128, job.BallsMethod},
		{"more than balls number", func(o *choose.Options) { o.Collapse = true }, 1<<32 - 1, 128, job.PaperMethod},
		{"a trigger", trigger, 1_000_000, 128, job.PaperMethod},
		{"a trigger, few rows", trigger, 400, 128, job.ExactMethod},
		{"a distance of one's own, 10,000 rows", own, 10_000, 128, job.PaperMethod},
		{"a distance of one's own, 5,000 rows", own, 5_000, 128, job.ExactMethod},
	} {
		if o := options(c.change); o.ByCounts(c.n, c.dim) != c.want {
			t.Errorf("%s: %s, want %s", c.name, o.ByCounts(c.n, c.dim), c.want)
		}
	}
}

// TestOneTurn: with the rows, the choice goes from exact to balls to parts and never back, whatever
// the other counts are.
func TestOneTurn(t *testing.T) {
	rank := map[string]int{job.ExactMethod: 0, job.BallsMethod: 1, job.PartsMethod: 2}
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	rng := rand.New(rand.NewPCG(seed, 3))
	for range 200 {
		o := options(func(o *choose.Options) {
			o.K, o.Recall = 1+rng.IntN(choose.MaxPartsK), rng.Float64()
			o.LeafSize = max(1000, 4*o.K)
		})
		dim, before := 1+rng.IntN(4096), 0
		for n := 1; n < 1<<28; n += 1 + rng.IntN(n+1) {
			method := o.ByCounts(n, dim)
			at, known := rank[method]
			if !known || at < before {
				t.Fatalf("%d rows of %d, %+v: %s after rank %d", n, dim, o, method, before)
			}
			before = at
		}
	}
}

// TestTree: auto takes a tree for more than 20,000 rows of up to three dimensions under euclidean
// distances; one of nine dimensions is refused.
func TestTree(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 4))
	const n = 20_001
	for _, c := range []struct {
		name   string
		dim    int
		metric distance.Metric
		asked  string
		want   string
		fails  bool
	}{
		{"three dimensions", 3, distance.Euclidean, job.AutoMethod, job.TreeMethod, false},
		{"three dimensions, squared", 3, distance.SqEuclidean, job.AutoMethod, job.TreeMethod, false},
		{"three dimensions under cosine", 3, distance.Cosine, job.AutoMethod, job.ExactMethod, false},
		{"nine dimensions", 9, distance.Euclidean, job.AutoMethod, job.ExactMethod, false},
		{"a tree, as asked", 8, distance.Euclidean, job.TreeMethod, job.TreeMethod, false},
		{"a tree of nine dimensions", 9, distance.Euclidean, job.TreeMethod, "", true},
	} {
		rows, _ := rowstest.Bytes(t, rng, n, c.dim, 256)
		space, err := distance.New(c.metric, rows.Type(), c.dim)
		if err != nil {
			t.Fatal(err)
		}
		b := buildtest.New(t, rows, space, 10)
		chooser := choose.Chooser{Build: b, Options: options(func(o *choose.Options) { o.Method, o.Metric, o.K = c.asked, c.metric, 10 })}
		got, err := chooser.Choose()
		if (err != nil) != c.fails || !c.fails && got != c.want {
			t.Errorf("%s: %s, %v, want %s", c.name, got, err, c.want)
		}
		b.Good = b.Good[:20_000]
		if got, _ = chooser.Choose(); c.asked == job.AutoMethod && got == job.TreeMethod {
			t.Errorf("%s: a tree of 20,000 rows", c.name)
		}
	}
}

// TestSettle: a settled method is recorded, and has settled its own.
func TestSettle(t *testing.T) {
	rows, space := rowstest.Bytes(t, rand.New(rand.NewPCG(1, 5)), 50, 4, 256)
	b := buildtest.New(t, rows, space, 3)
	idle, rounds := new(buildtest.Idle), true
	b.Open = func(string) (build.Method, build.Traits) { return idle, build.Traits{Rounds: rounds} }
	b.Goal.Propagate = true
	c := choose.Chooser{Build: b, Options: options(func(*choose.Options) {})}
	if err := c.Settle(); err != nil {
		t.Fatal(err)
	}
	var s job.State
	if known, err := b.Draft.Load(job.StateRecord, &s); err != nil || !known || s.Method != job.ExactMethod || s.Rows != 50 {
		t.Errorf("recorded are method %q of %d rows, %v", s.Method, s.Rows, err)
	}
	if b.Method != build.Method(idle) || idle.Settled != 1 || !b.Goal.Propagate {
		t.Errorf("the method settled %d times, propagates: %v", idle.Settled, b.Goal.Propagate)
	}
	if rounds = false; c.Take() != nil || b.Goal.Propagate {
		t.Error("a method without rounds propagates")
	}
}
