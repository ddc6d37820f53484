package left

import (
	"cmp"
	"context"
	"flag"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"runtime/debug"
	"strings"
	"time"

	"github.com/knng/knng/builder"
	"github.com/knng/knng/builder/plan"
	"github.com/knng/knng/store"
	"github.com/knng/knng/store/search"
	"github.com/knng/knng/vectors"
	"github.com/knng/knng/vectors/distance"
)

// A Recording is all that the time left of one build is estimated from, for a test to play again
// (builder/plan/testdata/left).
type Recording struct {
	Args   []string    `json:"args"`
	Clock  string      `json:"clock"` // of the seconds
	Build  float64     `json:"build"` // seconds without the links of search
	All    float64     `json:"all"`   // seconds with them
	Shape  plan.Shape  `json:"shape"`
	Rates  *plan.Rates `json:"rates"` // as measured, or nominal
	Aim    plan.Aim    `json:"aim"`
	Events []Moment    `json:"events"`
}

// A Moment is an event of a build, or, with Stand alone, the findings of its stages.
type Moment struct {
	At    float64     `json:"at"` // seconds
	Phase string      `json:"phase,omitempty"`
	Done  int64       `json:"done,omitempty"`
	Total int64       `json:"total,omitempty"`
	End   bool        `json:"end,omitempty"`
	Stand *plan.Stand `json:"stand,omitempty"`
}

// clocks are the times that a recording may go by: while others have the machine, the processor time of a build
// on one thread is the time that it takes on a quiet one, but for waits for the disk.
var clocks = map[string]func() float64{"wall": wall, "processor": processor}

func wall() float64 { return time.Since(began).Seconds() }

var began = time.Now()

// recorder notes the events of a build.
type recorder struct {
	Recording
	now  func() float64
	from float64
}

// at is the moment, to a hundredth of a second.
func (r *recorder) at() float64 { return float64(int(100*(r.now()-r.from)+0.5)) / 100 }

// planned notes the basis of a plan, and returns the seconds of the links.
func (r *recorder) planned(p *plan.Plan) float64 {
	b := p.Basis
	if b == nil {
		return p.LinksSeconds
	}
	if r.Rates == nil {
		r.Shape, r.Rates, r.Aim = b.Shape, &b.Rates, b.Aim
		r.Aim.Luck = 0
	}
	last := len(r.Events) - 1
	if b.Stand != nil && (last < 0 || r.Events[last].Stand == nil || *r.Events[last].Stand != *b.Stand) {
		r.Events = append(r.Events, Moment{At: r.at(), Stand: b.Stand})
	}
	return p.LinksSeconds
}

func (r *recorder) event(e builder.Event) {
	if e.Phase != "" {
		r.Events = append(r.Events, Moment{At: r.at(), Phase: e.Phase, Done: e.Done, Total: e.Total, End: e.End})
	}
}

// thin leaves out events within a phase that come within a fiftieth of the build after another.
func (r *recorder) thin() {
	var kept []Moment
	open := map[string]bool{}
	for _, m := range r.Events {
		last := len(kept) - 1
		if within := m.Stand == nil && !m.End && open[m.Phase]; within && m.At-kept[last].At < r.All/50 {
			continue
		}
		open[m.Phase] = !m.End
		kept = append(kept, m)
	}
	r.Events = kept
}

// Record builds once, in this process, and makes the links of search. Of the flags of knng build it
// knows those that it parses here.
func (c *Config) Record(ctx context.Context, clock string) (*Recording, error) {
	var o builder.Options
	var limit int
	var method, metric string
	flags := flag.NewFlagSet("record", flag.ContinueOnError)
	flags.IntVar(&o.K, "k", 20, "neighbors per row")
	flags.Float64Var(&o.Recall, "recall", 0.95, "target")
	flags.IntVar(&o.Threads, "threads", 1, "goroutines")
	flags.Int64Var(&o.Memory, "memory", 0, "bytes")
	flags.IntVar(&limit, "limit-rows", 0, "rows")
	flags.StringVar(&method, "method", string(builder.Auto), "of the build")
	flags.StringVar(&metric, "metric", "euclidean", "of the rows")
	withLinks := flags.Bool("search", true, "make the links of search")
	if err := flags.Parse(c.Args); err != nil {
		return nil, err
	}
	var err error
	if o.Metric, err = distance.ParseMetric(metric); err != nil {
		return nil, err
	}
	o.Method = builder.Method(method)
	now, ok := clocks[clock]
	if !ok {
		return nil, fmt.Errorf("clock %q, want wall or processor", clock)
	}
	r := &recorder{now: now}
	r.Clock = clock
	for _, arg := range c.Args {
		r.Args = append(r.Args, strings.TrimPrefix(arg, filepath.Dir(arg)+"/"))
	}
	r.from = r.now()
	dir := filepath.Join(c.Dir, "left.knng")
	if err := os.RemoveAll(dir); err != nil { // an earlier recording was killed
		return nil, err
	}
	defer os.RemoveAll(dir)
	o.Progress = r.event
	if *withLinks {
		o.Then = r.planned
	} else {
		o.Then = func(p *plan.Plan) float64 { r.planned(p); return 0 }
	}
	in, err := vectors.Open(flags.Args(), &vectors.OpenOptions{Limit: limit, Context: ctx})
	if err != nil {
		return nil, err
	}
	defer in.Close()
	builder.HoldHeap(builder.DefaultMemory())
	if _, err := builder.Build(ctx, dir, in, o); err != nil {
		return nil, err
	}
	r.Build = r.at()
	if *withLinks {
		if err := links(ctx, dir, o); err != nil {
			return nil, err
		}
	}
	r.All = r.at()
	if clock == "processor" { // which stands still while a disk writes, and while others have the machine
		r.Rates.Written, r.Rates.Share = math.MaxFloat32, 1
	}
	r.thin()
	return &r.Recording, nil
}

// links makes the links of search, as knng build does.
func links(ctx context.Context, dir string, o builder.Options) error {
	debug.FreeOSMemory()
	s, err := store.Open(dir, nil)
	if err != nil {
		return err
	}
	defer s.Close()
	return search.Make(s, &search.Options{Context: ctx, Threads: o.Threads, Limit: cmp.Or(o.Memory, builder.DefaultMemory()) / plan.LinksShare})
}
