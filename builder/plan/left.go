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
	"audit": 1, "collapse": 2, "order": 3, "copy": 3, "ids": 3, "load": 3, "rows": 3, "axes": 4, "short codes": 4, "bounds": 4, "index": 4,
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
		if p.Recall > 0 && !p.found && pass.Name == "divisions" {
			seconds += oneMore * pass.own(d, speed) * pass.Seconds / pass.weight(math.Max(1, pass.Times))
		}
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
		if part, counted := c.Parts[phase.Name]; phase.Name == "exact" || counted && ofRound(phase.Name) && c.Ends[phase.Name] > 0 { // which stop between stages, and early
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

// ofRound reports whether a phase is a round of joins, which ends when the recall suffices.
func ofRound(phase string) bool { return strings.HasPrefix(phase, "propagation ") }

// beyond is how much longer than so far a round takes that has passed its forecast.
const beyond = 1.1

// of is how much of a pass is done, up to 1: of twice a pass that is made of two phases.
func (p *Pass) of(d done) float64 {
	times := math.Max(1, math.Ceil(p.Times))
	switch p.Name {
	case "controls", "seal": // exact lists of rows that steer, and of others that tell; checksum and seal
		times = 2
	case "propagation":
		times = p.Times
		if d.running {
			times = math.Max(times, beyond*d.times)
		}
		times = math.Max(times, 0.01)
	case "divisions", "leaders", "fold", "folds": // of which there may be more than planned
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
	first := cmp.Or(p.first, 1)
	return first*math.Min(times, 1) + math.Max(0, times-1)
}

// trusted is the weight of the planned time beside the measured time, of a pass by that of
// others and of the whole by the plan.
const (
	trusted     = 0.05
	trustedPlan = 0.02
)

// oneMore is how likely one more division is than planned, before the first has found anything.
const oneMore = 0.5

// Found says that this plan goes by the findings of stages.
func (p *Plan) Found() *Plan {
	p.found = true
	return p
}

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
	return p.Seconds * (1 - part) * p.own(d, speed)
}

// own is how many seconds one of the plan takes in this pass.
func (p *Pass) own(d done, speed float64) float64 {
	if p.Seconds == 0 {
		return 0
	}
	return (d.seconds + trusted*p.Seconds*speed) / (p.Seconds*p.of(d) + trusted*p.Seconds)
}

// unplanned is the time that the current phase still takes where the plan has no pass for it.
func (p *Plan) unplanned(c progress.Course, at string, d done) float64 {
	part := c.Parts[c.Now.Phase]
	if c.Now.End || part == 0 || p.Pass(at) != nil || at == "fold" && p.Pass("folds") != nil {
		return 0
	}
	return c.Now.Elapsed.Seconds() * (1 - part) / part
}
