package peers

import (
	"context"
	"errors"
	"slices"

	"github.com/knng/knng/bench/front"
)

// Comparison is knng beside peers on one set.
type Comparison struct {
	K, Threads int
	Repeats    int      // 5 by the rules
	Only       []string // sides; none is all
}

// Run runs every side's settings, first all of them once, then those that may
// decide again; then ours in other arithmetic, which decides nothing. Error to test:
// ErrBudget, after all that there was time for.
func (c *Comparison) Run(ctx context.Context, r *Runner) error {
	err := c.run(ctx, r, slices.Concat(OurGrid(), Grid(r.Len())))
	if err != nil && !errors.Is(err, ErrBudget) {
		return err
	}
	return errors.Join(err, c.run(ctx, r, Parts()))
}

func (c *Comparison) run(ctx context.Context, r *Runner, settings []Setting) (left error) {
	order := Interleave(c.sides(settings))
	for repeat := range c.Repeats {
		var tasks []Task
		for _, s := range order {
			t := r.Task(s, c.K, c.Threads, repeat)
			if repeat == 0 || r.decides(t) {
				tasks = append(tasks, t)
			}
		}
		err := r.Do(ctx, tasks)
		if err != nil && !errors.Is(err, ErrBudget) {
			return err
		}
		left = errors.Join(left, err)
	}
	return left
}

// Points are the runs on a runner's set, those of earlier calls too.
func (c *Comparison) Points(r *Runner) []Point { return r.Points(c.K, c.Threads) }

// sides are the settings of each side that is wanted.
func (c *Comparison) sides(settings []Setting) (sides [][]Setting) {
	at := map[string]int{}
	for _, s := range settings {
		if len(c.Only) > 0 && !slices.Contains(c.Only, s.Peer) {
			continue
		}
		side := s.Side()
		if _, ok := at[side]; !ok {
			at[side] = len(sides)
			sides = append(sides, nil)
		}
		sides[at[side]] = append(sides[at[side]], s)
	}
	return sides
}

// Interleave takes one setting of each side after the other, so that whatever
// changes on the machine meets all sides alike.
func Interleave(sides [][]Setting) (all []Setting) {
	for i, more := 0, true; more; i++ {
		more = false
		for _, side := range sides {
			if i < len(side) {
				all = append(all, side[i])
				more = true
			}
		}
	}
	return all
}

// contenders is how many times the fastest peer's time at its recall a setting may
// take to be repeated: times of one setting differ by less than that.
const contenders = 1.5

// decides reports whether a setting may come to decide: ours always, a peer's that
// is near the front of all peers.
func (r *Runner) decides(t Task) bool {
	if t.Peer == Ours {
		return true
	}
	var all []front.Point
	var own *Point
	for _, p := range r.Points(t.K, t.Threads) {
		if p.Peer == Ours || p.Error != "" {
			continue
		}
		all = append(all, front.Point{Recall: p.Recall.Recall, Cost: p.MemorySeconds})
		if p.Setting.key() == t.Setting.key() {
			own = &p
		}
	}
	if own == nil {
		return false // it failed
	}
	best, ok := front.At(front.Of(all), own.Recall.Recall)
	return ok && own.MemorySeconds <= contenders*best
}
