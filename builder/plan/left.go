package plan

import (
	"math"
	"strings"

	"github.com/knng/knng/builder/progress"
)

// ranks says which passes come after which: of those before the one at hand nothing is left.
// Passes of one rank take turns.
var ranks = map[string]int{
	"audit": 1, "collapse": 2, "order": 3, "copy": 3, "ids": 3, "load": 3, "rows": 3, "axes": 4, "bounds": 4, "index": 4,
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
	case strings.HasPrefix(phase, "leaders "):
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
	running bool
}

// Left estimates the seconds that a build has still to go: the plan's, at the speed that the
// phases had which are over or under way, each pass by its own as far as it has come.
func (p *Plan) Left(c progress.Course) (seconds float64, known bool) {
	if p.Seconds <= 0 {
		return 0, false
	}
	passes := p.doneOf(c)
	at, _ := passOf(c.Now.Phase)
	now := p.rank(at)
	if c.Now.Phase == "controls" { // the first half of that pass
		now = ranks["axes"]
	}
	speed := p.speed(passes, now)
	for i := range p.Passes {
		pass := &p.Passes[i]
		d := passes[pass.Name]
		if p.rank(pass.Name) < now {
			continue
		}
		seconds += pass.left(d, speed)
	}
	return seconds + p.unplanned(c, at, passes[at]), true
}

// doneOf sums the phases of a course up by their passes.
func (p *Plan) doneOf(c progress.Course) map[string]done {
	passes := map[string]done{}
	add := func(phase string, seconds, times float64, running bool) {
		name, counts := passOf(phase)
		if name == "fold" && p.Pass("folds") != nil {
			name = "folds"
		}
		d := passes[name]
		d.seconds += seconds
		if counts {
			d.times += times
		}
		d.running = d.running || running
		passes[name] = d
	}
	now := c.Now
	for _, phase := range c.Spent {
		times := 1.0
		if part, counted := c.Parts[phase.Name]; phase.Name == "exact" { // which stops between stages, and has all of them as its units
			times = part
		} else if ends := c.Ends[phase.Name]; ends > 0 {
			times = float64(ends)
		} else if phase.Name == now.Phase && !now.End && counted && phase.Name != "fold" { // begun in an earlier run; of folds, another
			times = 0
		}
		if phase.Name == "exact" && phase.Name == now.Phase && !now.End {
			times = 0
		}
		add(phase.Name, phase.Seconds, times, false)
	}
	for phase, seconds := range c.Open {
		add(phase, seconds, c.Parts[phase], phase == now.Phase)
	}
	return passes
}

// of is how much of a pass is done, up to 1: of twice a pass that is made of two phases.
func (p *Pass) of(d done) float64 {
	times := math.Max(1, math.Ceil(p.Times))
	switch p.Name {
	case "controls", "seal": // exact lists of rows that steer, and of others that tell; checksum and seal
		times = 2
	case "divisions", "leaders", "propagation", "fold", "folds": // of which there may be more than planned
		times = math.Max(times, math.Ceil(d.times))
	}
	return math.Min(1, p.weight(d.times)/p.weight(times))
}

// weight is how many times of the later ones so many take together.
func (p *Pass) weight(times float64) float64 {
	first := math.Max(1, p.first)
	return first*math.Min(times, 1) + math.Max(0, times-1)
}

// trusted is the weight of the planned time beside the measured time, of a pass by that of
// others and of the whole by the plan.
const (
	trusted     = 0.05
	trustedPlan = 0.02
)

// speed is how many seconds one of the plan takes: a mean of factors, as a plan made while
// others had the machine is as easily many times too long as too short.
func (p *Plan) speed(passes map[string]done, at int) float64 {
	took, planned := 0.0, 0.0
	for i := range p.Passes {
		pass := &p.Passes[i]
		if d := passes[pass.Name]; d.times > 0 {
			part := pass.of(d)
			if p.rank(pass.Name) < at {
				part = math.Max(part, pass.weight(1)/pass.weight(math.Max(1, pass.Times)))
			}
			took += d.seconds
			planned += pass.Seconds * part
		}
	}
	if took == 0 || planned == 0 {
		return 1
	}
	return math.Pow(took/planned, planned/(planned+trustedPlan*p.Seconds))
}

// left is the time that a pass still takes, where a second of the plan takes speed seconds.
func (p *Pass) left(d done, speed float64) float64 {
	part := p.of(d)
	if part == 0 && d.running { // nobody counts how far it is
		return math.Max(p.Seconds*speed-d.seconds, 0.1*p.Seconds*speed)
	}
	own := (d.seconds + trusted*p.Seconds*speed) / (p.Seconds*part + trusted*p.Seconds)
	if p.Seconds == 0 {
		return 0
	}
	return p.Seconds * (1 - part) * own
}

// unplanned is the time that the current phase still takes where the plan has no pass for it.
func (p *Plan) unplanned(c progress.Course, at string, d done) float64 {
	part := c.Parts[c.Now.Phase]
	if c.Now.End || part == 0 || p.Pass(at) != nil || at == "fold" && p.Pass("folds") != nil {
		return 0
	}
	return c.Now.Elapsed.Seconds() * (1 - part) / part
}
