package paper

import (
	"context"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/knng/knng/bench/ablation"
	"github.com/knng/knng/bench/baseline/chenfs09"
	"github.com/knng/knng/bench/baseline/knng"
	"github.com/knng/knng/builder"
)

// The studies, which are the purposes of runs.
const (
	accuracyStudy   = "accuracy"   // every system over its grid
	rowsStudy       = "rows"       // one setting on more and more rows
	refinedStudy    = "refined"    // ChenFS09 with its refinement, likewise
	dimensionsStudy = "dimensions" // and on more and more dimensions
	visitsStudy     = "visits"     // propagation that goes further and further, and in plain second order
	ablationStudy   = "ablation"   // the paper's method with one change
	triggerStudy    = "trigger"    // when to go over from divisions to propagation
	theoryStudy     = "theory"     // the lemmas
)

// A job is a task and its input.
type job struct {
	Task
	data    data // the rows that it is about
	setting Setting
	limit   time.Duration
	series  string // jobs of one series: those that cost as much as one over the limit are left out
}

// A stage is a part of the schedule, with a name for people.
type stage struct {
	name string
	jobs []job
}

// planner puts a schedule together.
type planner struct {
	*runner
	files  []data
	stages []stage
	err    error
}

// schedule lists all runs, those first that show most for their time:
// those that every claim needs, with one seed; the reasons (theory, ablations);
// growth; then a second seed, the growth of the other systems, all rows,
// as in the paper, finer grids, which find the limits of each system, and other
// seeds.
func (r *runner) schedule(files []data) ([]stage, error) {
	p := &planner{runner: r, files: files}
	seed := r.Seeds[0]
	p.each("brute force, k = 20", func(d data) { p.brute(d, r.Rows, 20) })
	p.of("growth with n of what the paper states, first file", p.files[:1], func(d data) { p.growth(d, stating) })
	curves := func(k int, seed uint64) {
		p.each(fmt.Sprintf("accuracy, k = %d, seed %d", k, seed), func(d data) { p.accuracy(d, r.Rows, k, seed, r.Limit, first) })
	}
	longest := len(r.Ks) - 1 // takes as long as all others
	for _, k := range r.Ks[:longest] {
		curves(k, seed)
	}
	p.each("theory", p.theory)
	p.each("propagation by T and in second order", p.visits)
	p.each("triggers and ablations", func(d data) { p.triggers(d); p.ablations(d) })
	p.each("growth with d", p.dimensions)
	p.each("what the grids hold fixed", p.fixed)
	curves(r.Ks[longest], seed)
	p.each("brute force, all rows", func(d data) {
		if p.Whole > 0 && d.rows.Len() > p.Rows {
			p.brute(d, d.rows.Len(), 20)
		}
	})
	p.each("brute force, other k", func(d data) {
		for _, k := range others(r.Ks, 20) {
			p.brute(d, r.Rows, k)
		}
	})
	p.of("growth with n of what the paper states, other files", p.files[1:], func(d data) { p.growth(d, stating) })
	again := func(seeds []uint64, ks ...int) {
		for _, seed := range seeds {
			for _, k := range ks {
				curves(k, seed)
			}
		}
	}
	half := min(2, len(r.Seeds))
	again(r.Seeds[1:half], 20)
	p.each("growth with n of the others", func(d data) { p.growth(d, others(Systems, stating...)) })
	rest := others(r.Ks, 20)
	p.whole(seed, 20)
	for _, k := range slices.Backward(rest) {
		p.whole(seed, k)
	}
	again(r.Seeds[1:half], rest...)
	for _, k := range append([]int{20}, rest...) {
		p.each(fmt.Sprintf("finer grids, k = %d", k), func(d data) { p.accuracy(d, r.Rows, k, seed, r.Limit, extra) })
	}
	again(r.Seeds[half:], r.Ks...)
	return p.stages, p.err
}

// each adds a stage over all files.
func (p *planner) each(name string, fill func(d data)) { p.of(name, p.files, fill) }

// of adds a stage over some files. Systems that are not wanted are left out.
func (p *planner) of(name string, files []data, fill func(d data)) {
	p.stages = append(p.stages, stage{name: name})
	for _, d := range files {
		fill(d)
	}
}

// add adds a build from the first n rows and dim elements to the last stage.
func (p *planner) add(study string, d data, n, dim, k int, seed uint64, system string, s Setting, limit time.Duration) *job {
	part, err := d.first(n, dim)
	if err != nil {
		p.err = err
		return &job{}
	}
	last := &p.stages[len(p.stages)-1]
	task := Task{study, d.name, part.rows.Len(), part.rows.Dim(), k, seed, system, s.Name}
	if p.wanted(system) {
		last.jobs = append(last.jobs, job{Task: task, data: part, setting: s, limit: limit})
		return &last.jobs[len(last.jobs)-1]
	}
	return &job{}
}

// whole builds from all rows of the files that have more than the other studies take.
func (p *planner) whole(seed uint64, k int) {
	if p.Whole == 0 {
		return
	}
	p.each(fmt.Sprintf("all rows, k = %d", k), func(d data) {
		if d.rows.Len() > p.Rows {
			p.accuracy(d, math.MaxInt, k, seed, p.Whole, first)
		}
	})
}

// others are all but some.
func others[T comparable](all []T, but ...T) []T {
	return slices.DeleteFunc(slices.Clone(all), func(x T) bool { return slices.Contains(but, x) })
}

// brute compares all pairs of the first n rows. It is the baseline of all others, and
// not left out where it takes long.
func (p *planner) brute(d data, n, k int) {
	for _, system := range Brute {
		for _, s := range Grid(system, min(n, d.rows.Len()), k) {
			p.add(accuracyStudy, d, n, d.dim, k, p.Seeds[0], system, s, 4*p.Limit)
		}
	}
}

// accuracy builds from the first n rows with some of the settings of every system
// but brute force.
func (p *planner) accuracy(d data, n, k int, seed uint64, limit time.Duration, some func([]Setting) []Setting) {
	for _, system := range others(Systems, Brute...) {
		for _, s := range thin(some(Grid(system, min(n, d.rows.Len()), k)), p.Settings) {
			limit := limit
			if !s.Extra && k == 50 && among(system, Glue, Overlap) {
				limit = max(limit, p.Refined)
			}
			p.add(accuracyStudy, d, n, d.dim, k, seed, system, s, limit).series = fmt.Sprint(d.name, n, k, seed, system)
		}
	}
}

// growth builds with one setting of every system on more and more rows.
func (p *planner) growth(d data, systems []string) {
	most := min(p.Growth, d.rows.Len())
	for _, part := range []int{8, 4, 2, 1} {
		for _, system := range systems {
			if s, ok := Typical(system, most/part); ok {
				p.add(rowsStudy, d, most/part, d.dim, 20, 1, system, s, max(p.Limit, p.Whole))
			}
			if s := chen(system, chenfs09.Options{Alpha: 0.1}); among(system, Glue, Overlap) {
				p.add(refinedStudy, d, most/part, d.dim, 20, 1, system, Setting{Name: "alpha 0.1", System: s, Cost: 25}, max(p.Limit, p.Whole))
			}
		}
	}
}

// dimensions builds on more and more dimensions.
func (p *planner) dimensions(d data) {
	n := min(p.Growth/2, d.rows.Len())
	for _, part := range []int{8, 4, 2, 1} {
		for _, system := range []string{Divisions, Propagation} {
			s, _ := Typical(system, n)
			p.add(dimensionsStudy, d, n, d.dim/part, 20, 1, system, s, p.Limit)
		}
	}
}

// visitsSteps are the T of the study of propagation, expandedSteps the neighbors
// whose neighbors plain second-order refinement compares; 20 are all.
var (
	visitsSteps   = []int{50, 125, 250, 500, 1000, 2000}
	expandedSteps = []int{2, 5, 10, 20}
)

// visits propagates further and further after four divisions: best first, and in
// plain second order.
func (p *planner) visits(d data) {
	for _, t := range visitsSteps {
		s := Setting{Name: fmt.Sprintf("M 4, T %d", t), System: knng.Propagated(4, t), Cost: 4*division + round*float64(t)/500}
		p.add(visitsStudy, d, p.Ablation, d.dim, 20, 1, Propagation, s, p.Limit)
	}
	for _, e := range expandedSteps {
		s := Setting{Name: fmt.Sprintf("M 4, of %d neighbors", e), System: ablation.SecondOrder{Divided: knng.Divisions(4), Expanded: e}, Cost: 4*division + round*float64(e)/25}
		p.add(visitsStudy, d, p.Ablation, d.dim, 20, 1, SecondOrder, s, p.Limit)
	}
}

// sameDivisions are directions at equal numbers of divisions: by the effective rate each
// would make another number.
var sameDivisions = []ablation.Variant{
	{Name: "M 8", Change: func(o *builder.Options) { o.Divisions = 8 }},
	{Name: "M 8, random directions", Change: func(o *builder.Options) { o.Divisions, o.Paper.Directions = 8, builder.Random }},
}

// ablations builds by the paper's method, and with each of its parts switched off
// or changed in turn.
func (p *planner) ablations(d data) {
	for _, v := range slices.Concat(ablation.Variants, sameDivisions) {
		if v.Threads {
			continue // everything here is on one
		}
		s := Setting{Name: v.Name, System: knng.Builder{Options: v.Options(20)}, Cost: 9*division + round}
		p.add(ablationStudy, d, p.Ablation, d.dim, 20, 1, Propagation, s, p.Limit)
	}
}

// theory holds the lemmas against the first rows.
func (p *planner) theory(d data) {
	n := min(p.Theory, d.rows.Len())
	if n > 2000 {
		n -= n % 1000 // leaves then lie at one depth
	}
	if len(p.Only) == 0 {
		p.stages[len(p.stages)-1].jobs = append(p.stages[len(p.stages)-1].jobs,
			job{Task: Task{Study: theoryStudy, Data: d.name, Rows: n, Dim: d.dim, K: 20, Seed: 1}, data: d, limit: math.MaxInt64})
	}
}

// run goes through a schedule until all is done, or left out for its time.
func (r *runner) run(ctx context.Context, stages []stage) error {
	return r.undone(stages, func(_ *stage, j *job, hopeless float64) (run Run, err error) {
		if hopeless > 0 {
			return run, r.leave(j, hopeless)
		}
		if expected := r.expect(j); r.Budget > 0 && time.Since(r.began)+expected > r.Budget {
			r.left++
			r.leftTime += expected
			return run, nil
		}
		if run, err = r.do(ctx, j); err != nil {
			err = fmt.Errorf("%s: %w", j.Data, err)
		}
		return run, err
	})
}

// undone calls do for each job of the stages asked for that has not been done, in order, but
// for those that cost as much as one of their series that was ended by its limit, or would
// be: that one is hopeless, and takes so many seconds as far as is known by then. do returns
// its run, where there was one.
func (r *runner) undone(stages []stage, do func(s *stage, j *job, hopeless float64) (Run, error)) error {
	over := costs{}
	for _, s := range stages {
		if r.Stages != nil && !r.Stages.MatchString(s.name) {
			continue
		}
		for i := range s.jobs {
			j := &s.jobs[i]
			if r.done(j) {
				run, _ := r.log.Find(j.Task)
				over.met(j, run)
				continue
			}
			if over.beyond(j) {
				continue
			}
			seconds, hopeless := r.hopeless(j)
			if !hopeless {
				seconds = 0
			}
			run, err := do(&s, j, seconds)
			if err != nil {
				return err
			}
			run.TimedOut = run.TimedOut || hopeless
			over.met(j, run)
		}
	}
	return nil
}

// costs are, of each series, the cost of the cheapest setting that did not end in time.
type costs map[string]float64

func (c costs) met(j *job, r Run) {
	if least, ok := c[j.series]; r.TimedOut && (!ok || j.setting.Cost < least) {
		c[j.series] = j.setting.Cost
	}
}

// beyond reports whether a job costs as much as one that did not end in time.
func (c costs) beyond(j *job) bool {
	least, ok := c[j.series]
	return ok && j.series != "" && j.setting.Cost >= least
}
