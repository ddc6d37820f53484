package plan

import (
	"cmp"
	"math"
	"strings"

	"github.com/knng/knng/builder/progress"
)

// ranks says which passes come after which: of those before the one at hand nothing is left.
// Passes of one rank take turns.
var ranks = map[string]int{
	"audit": 1, "collapse": 2, "order": 3, "copy": 3, "ids": 3, "load": 3, "rows": 3, "sight": 4, "axes": 4, "short codes": 4, "bounds": 4, "index": 4,
	"leaders": 5, "divisions": 5, "folds": 5, "fold": 5, "exact": 5, "propagation": 6,
	"rerank": 7, "complete": 7, "adjacency": 8, "controls": 9, "seal": 10,
}

// rank is that of a pass in this build: one in parts is measured before its lists are written.
func (p *Plan) rank(pass string) int {
	if p.Method == "parts" && pass == "controls" {
		return ranks["adjacency"] - 1
	}
	return ranks[pass]
}

// passOf is the pass that a phase of a build is of, and whether it is one of its times: a
// division is carved before it is solved.
func passOf(phase string) (pass string, counts bool) {
	switch {
	case strings.HasSuffix(phase, ": carve"):
		return "divisions", false
	case strings.HasPrefix(phase, "division "):
		return "divisions", true
	case strings.HasPrefix(phase, "leaders "), phase == "cells":
		return "leaders", true
	case strings.HasPrefix(phase, "propagation "):
		return "propagation", true
	case phase == "recall":
		return "controls", true
	case phase == "checksum":
		return "seal", true
	}
	return phase, true
}

// done is the outcome of a pass.
type done struct {
	seconds float64
	times   float64 // phases that ended, and the part of the one under way
	earlier float64 // of times, those of earlier runs, whose seconds are not known
	running bool
}

// firstDivision and moreDivisions are the passes that the divisions are taken for, of which the first costs more
// than the others.
const firstDivision, moreDivisions = "first division", "later divisions"

// Left estimates the seconds that a build has still to go: the plan's of each pass as far as it has
// not come, at the speed of work of its kind in this build (speeds).
func (p *Plan) Left(c progress.Course) (seconds float64, known bool) {
	if p.Seconds <= 0 {
		return 0, false
	}
	passes := p.doneOf(c)
	at, _ := passOf(c.Now.Phase)
	now := p.rank(at)
	switch {
	case c.Now.Phase == "controls": // the first half of that pass
		now = ranks["order"]
	case at == "controls" && passes["adjacency"].times == 0: // a build looks at the rows that report before it stops
		now = ranks["rerank"]
	}
	tasks := p.tasks(passes)
	s := speedsOf(tasks, p.Seconds)
	for i := range tasks {
		if t := &tasks[i]; p.rank(t.rankedAs()) >= now {
			seconds += t.left(s.of(t))
		}
	}
	seconds += p.After * s.of(&task{kind: listing})
	return seconds + p.unplanned(c, at), true
}

// A task is a pass, or a part of one, as a build has it.
type task struct {
	pass    string
	kind    kind
	planned float64 // seconds
	part    float64 // done, of 1
	seen    float64 // of part, as far as done.seconds were taken by it
	sure    float64 // how far its first time is done, of 1: the beginning of a phase tells less
	done
}

// rankedAs is the pass whose rank it has.
func (t *task) rankedAs() string {
	if t.pass == firstDivision || t.pass == moreDivisions {
		return "divisions"
	}
	return t.pass
}

// left is the time that it still takes, where a second of the plan takes speed seconds.
func (t *task) left(speed float64) float64 {
	if t.part == 0 && t.running { // nobody counts how far it is
		return math.Max(t.planned*speed-t.seconds, beyond*t.planned*speed)
	}
	return t.planned * speed * (1 - t.part)
}

// beyond is the share of its forecast by which more a pass goes on that has passed it.
const beyond = 0.1

// tasks are the passes of the plan as far as they are done.
func (p *Plan) tasks(passes map[string]done) (tasks []task) {
	for i := range p.Passes {
		pass := &p.Passes[i]
		d := passes[pass.Name]
		if pass.Name == "divisions" && pass.Times > 0 {
			tasks = append(tasks, pass.divisions(d, passes)...)
			continue
		}
		planned := pass.Seconds
		if repeated(pass.Name) && d.times > pass.Times { // more than planned took more than planned
			planned *= pass.weight(d.times) / pass.weight(math.Max(1, pass.Times))
		}
		t := task{pass: pass.Name, kind: kinds[pass.Name], planned: planned, part: pass.of(d), sure: math.Min(1, d.times-d.earlier), done: d}
		t.seen = t.part * (1 - d.earlier/math.Max(d.times, 1e-9))
		tasks = append(tasks, t)
	}
	return tasks
}

// divisions are the first division and those after it, of which there may be more than planned.
func (p *Pass) divisions(all done, passes map[string]done) []task {
	costs := cmp.Or(p.First, 1)
	each := p.Seconds / (costs + math.Max(0, p.Times-1))
	one, more := passes[firstDivision], passes[moreDivisions]
	one.times, more.times = math.Min(1, all.times), math.Max(0, all.times-1)
	tasks := []task{{pass: firstDivision, kind: dividing, planned: costs * each, part: one.times, seen: one.times - one.earlier, sure: one.times - one.earlier, done: one}}
	if times := math.Max(p.Times, math.Ceil(all.times)) - 1; times > 0 {
		tasks = append(tasks, task{pass: moreDivisions, kind: dividing, planned: times * each, part: more.times / times,
			seen: (more.times - more.earlier) / times, sure: math.Min(1, more.times-more.earlier), done: more})
	}
	return tasks
}

// doneOf sums the phases of a course up by their passes, the first division and the later ones
// by themselves as well.
func (p *Plan) doneOf(c progress.Course) map[string]done {
	passes := map[string]done{}
	add := func(name string, seconds, times, earlier float64, running bool) {
		d := passes[name]
		passes[name] = done{d.seconds + seconds, d.times + times, d.earlier + earlier, d.running || running}
	}
	addPhase := func(phase string, seconds, times float64, running bool) {
		name, counts := passOf(phase)
		earlier := math.Min(times, c.Earlier[phase])
		if !counts {
			times, earlier = 0, 0
		}
		if name == "fold" && p.Pass("folds") != nil {
			name = "folds"
		}
		add(name, seconds, times, earlier, running)
		if name == "divisions" {
			which := moreDivisions
			if phase == "division 1" || phase == "division 1: carve" {
				which = firstDivision
			}
			add(which, seconds, times, earlier, running)
		}
	}
	for _, phase := range c.Spent {
		addPhase(phase.Name, phase.Seconds, timesOf(c, phase.Name), false)
	}
	for phase, seconds := range c.Open {
		addPhase(phase, seconds, c.Parts[phase], phase == c.Now.Phase)
	}
	return passes
}

// timesOf is how many times of its pass a phase was that has ended.
func timesOf(c progress.Course, phase string) float64 {
	part, counted := c.Parts[phase]
	under := phase == c.Now.Phase && !c.Now.End
	switch {
	case phase == "exact" && under: // which stops between stages, and early
		return 0
	case phase == "exact", counted && ofRound(phase) && c.Ends[phase] > 0:
		return part
	case c.Ends[phase] > 0:
		return float64(c.Ends[phase])
	case under && counted && phase != "fold": // begun in an earlier run; of folds, another
		return 0
	}
	return 1
}

// repeated reports whether there may be more times of a pass than planned.
func repeated(pass string) bool { return pass == "leaders" || pass == "fold" || pass == "folds" }

// ofRound reports whether a phase is a round of joins, which ends when the recall suffices.
func ofRound(phase string) bool { return strings.HasPrefix(phase, "propagation ") }

// longer is how much longer than so far a round takes that has passed its forecast.
const longer = 1.1

// of is how much of a pass is done, up to 1: of twice a pass that is made of two phases.
func (p *Pass) of(d done) float64 {
	times := math.Max(1, math.Ceil(p.Times))
	switch p.Name {
	case "controls", "seal": // exact lists of rows that steer, and of others that tell; checksum and seal
		times = 2
	case "propagation":
		times = p.Times
		if d.running {
			times = math.Max(times, longer*d.times)
		}
		times = math.Max(times, 0.01)
	}
	if repeated(p.Name) {
		times = math.Max(times, math.Ceil(d.times))
	}
	return math.Min(1, p.weight(d.times)/p.weight(times))
}

// weight is how many times of the later ones so many take together; of rounds, which compare less
// and less, how many times of the first.
func (p *Pass) weight(times float64) float64 {
	if p.Name == "propagation" {
		whole := math.Floor(times)
		return (1-math.Pow(laterRound, whole))/(1-laterRound) + (times-whole)*math.Pow(laterRound, whole)
	}
	costs := cmp.Or(p.First, 1)
	return costs*math.Min(times, 1) + math.Max(0, times-1)
}

// unplanned is the time that the current phase still takes where the plan has no pass for it.
func (p *Plan) unplanned(c progress.Course, at string) float64 {
	part := c.Parts[c.Now.Phase]
	if c.Now.End || part == 0 || p.Pass(at) != nil || at == "fold" && p.Pass("folds") != nil {
		return 0
	}
	return c.Now.Elapsed.Seconds() * (1 - part) / part
}
