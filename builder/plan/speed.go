package plan

import "math"

// kind is the work that a pass does most.
type kind uint8

const (
	comparing kind = iota // rows with rows; any pass that kinds does not name
	auditing              // reads the input for the first time
	reading               // rows, from one file to another
	dividing              // leaves and joins
	listing               // packs, unites and orders lists
	sealing               // hashes and writes
)

var kinds = map[string]kind{
	"audit": auditing, "collapse": auditing, "order": reading, "copy": reading, "ids": reading, "load": reading, "rows": reading,
	"propagation": dividing, "bounds": dividing,
	"fold": listing, "folds": listing, "rerank": listing, "complete": listing, "adjacency": listing,
	"seal": sealing,
}

// A guess is a normal distribution of the logarithm of a speed: of the seconds that one planned second
// takes.
type guess struct {
	mean   float64
	weight float64 // 1/variance; 0: nothing is known
}

// and joins two independent guesses.
func (g guess) and(o guess) guess {
	weight := g.weight + o.weight
	if weight == 0 {
		return guess{}
	}
	return guess{(g.mean*g.weight + o.mean*o.weight) / weight, weight}
}

// wider returns the guess for something else, whose speed differs with the given standard deviation.
func (g guess) wider(differs float64) guess {
	if g.weight == 0 {
		return g
	}
	return guess{g.mean, 1 / (1/g.weight + differs*differs)}
}

// Standard deviations of the logarithms of speeds: of the machine from the plan's, of a kind of work from
// the machine's, of a pass from its kind's. In 16 builds by parts of 1 to 20 million rows
// (bench/results/larger) the passes of one build took 0.4 to 3 times as long as with Nominal rates; those
// of one kind were mostly within a factor of 1.5 of each other.
const (
	machineDiffers = 3.0
	kindDiffers    = 0.6
	readingDiffers = 0.8 // of reading: rows may be in a cache, or on a slow disk
	auditDiffers   = 1.5 // of the audit: so may the input, about which nothing is known
	passDiffers    = 0.35
)

// differs is how much a kind of work differs from the machine.
func (k kind) differs() float64 {
	switch k {
	case auditing:
		return auditDiffers
	case reading:
		return readingDiffers
	}
	return kindDiffers
}

// Standard deviations of the speed of the seen part of a pass from that of the whole pass: at least; if
// the part was a small share of the build; and at the beginning of the pass's first time.
const (
	seenDiffers    = 0.05
	shortDiffers   = 0.4 // of a hundredth of the build; more of less
	shortShare     = 0.01
	beginsDiffers  = 0.5
	leastSeenShare = 1e-6
)

// speeds estimates how many seconds one planned second takes, from all passes seen so far.
type speeds struct {
	tasks []task
	whole float64 // seconds of the plan
}

func speedsOf(tasks []task, whole float64) *speeds { return &speeds{tasks, whole} }

// told returns the guess from the task itself.
func (s *speeds) told(t *task) guess {
	planned := t.planned * t.seen
	if share := planned / s.whole; t.seconds > 0 && share > leastSeenShare {
		begins := beginsDiffers * (1 - t.sure)
		variance := seenDiffers*seenDiffers + shortDiffers*shortDiffers*shortShare/share + begins*begins
		return guess{math.Log(t.seconds / planned), 1 / variance}
	}
	return guess{}
}

// of returns how many seconds one planned second takes in a task. It weighs the task itself, other tasks
// of its kind, and those of other kinds, by how much each may differ.
func (s *speeds) of(t *task) float64 {
	var byKind [sealing + 1]guess // of other tasks
	for i := range s.tasks {
		if o := &s.tasks[i]; o.pass != t.pass {
			byKind[o.kind] = byKind[o.kind].and(s.told(o).wider(passDiffers))
		}
	}
	machine := guess{0, 1 / (machineDiffers * machineDiffers)}
	for k, g := range byKind {
		if kind(k) != t.kind {
			machine = machine.and(g.wider(kind(k).differs()))
		}
	}
	ofKind := machine.wider(t.kind.differs()).and(byKind[t.kind])
	return math.Exp(ofKind.wider(passDiffers).and(s.told(t)).mean)
}
