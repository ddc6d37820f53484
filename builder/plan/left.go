package plan

import (
	"cmp"
	"math"
	"strings"

	"github.com/knng/knng/builder/progress"
)

// ranks orders the passes: when one begins, those of lower rank are over. Passes of equal rank take
// turns.
var ranks = map[string]int{
	"audit": 1, "collapse": 2, "order": 3, "copy": 3, "ids": 3, "load": 3, "rows": 3, "sight": 4, "axes": 4, "short codes": 4, "bounds": 4, "index": 4,
	"leaders": 5, "divisions": 5, "folds": 5, "fold": 5, "exact": 5, "propagation": 6,
	"rerank": 7, "complete": 7, "adjacency": 8, "controls": 9, "seal": 10,
}

// rank returns the rank of a pass in this build: with parts, recall is measured before the lists are
// written.
func (p *Plan) rank(pass string) int {
	if p.Method == "parts" && pass == "controls" {
		return ranks["adjacency"] - 1
	}
	return ranks[pass]
}

// passOf returns the pass that a phase belongs to. counts reports whether the phase is one of the pass's
// times: a division has two phases, carving and solving, and only the second counts.
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

// firstDivision and moreDivisions are the passes into which the divisions are split, since the first
// costs more than each later one.
const firstDivision, moreDivisions = "first division", "later divisions"

// Left estimates the seconds that a build still takes: for each pass the planned seconds of the part that
// is not done, at the speed of this build (speeds). known is false if the plan has no times.
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
	seen    float64 // of part, what this run did, whose seconds are known
	sure    float64 // how far its first time is done, from 0 to 1: the beginning of a phase is less reliable
	done
}

// rankedAs returns the name of the pass whose rank the task has.
func (t *task) rankedAs() string {
	if t.pass == firstDivision || t.pass == moreDivisions {
		return "divisions"
	}
	return t.pass
}

// left returns the seconds that the task still takes, if a planned second takes speed seconds.
func (t *task) left(speed float64) float64 {
	if t.part == 0 && t.running { // nobody counts how far it is
		return math.Max(t.planned*speed-t.seconds, beyond*t.planned*speed)
	}
	return t.planned * speed * (1 - t.part)
}

// beyond is the share of its forecast that a pass is expected to go on, once it has exceeded the forecast.
const beyond = 0.1

// tasks returns the passes of the plan with the parts that are done.
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

// divisions returns the first division and the later ones as two tasks. There may be more later ones than
// planned.
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

// doneOf sums up the phases of a course by pass, and separately for the first division and the later ones.
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

// timesOf returns how many times of its pass the finished phases of a name are.
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

// longer is the ratio of a round's expected length to its length so far, once it has exceeded its forecast.
const longer = 1.1

// of returns how much of a pass is done, up to 1. A pass that has two phases is done after both.
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

// weight returns how much work the first times of a pass are, in units of a later one; for rounds, which
// compare less and less, in units of the first.
func (p *Pass) weight(times float64) float64 {
	if p.Name == "propagation" {
		whole := math.Floor(times)
		return (1-math.Pow(laterRound, whole))/(1-laterRound) + (times-whole)*math.Pow(laterRound, whole)
	}
	costs := cmp.Or(p.First, 1)
	return costs*math.Min(times, 1) + math.Max(0, times-1)
}

// unplanned returns the time that the current phase still takes, if the plan has no pass for it.
func (p *Plan) unplanned(c progress.Course, at string) float64 {
	part := c.Parts[c.Now.Phase]
	if c.Now.End || part == 0 || p.Pass(at) != nil || at == "fold" && p.Pass("folds") != nil {
		return 0
	}
	return c.Now.Elapsed.Seconds() * (1 - part) / part
}
