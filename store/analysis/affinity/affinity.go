// Package affinity clusters a k-NN graph by affinity propagation: Frey, Dueck
// 2007, "Clustering by passing messages between data points". It finds
// exemplars, rows that stand for those around them, and how many there are.
// [Cluster] is the one function that programs need; [OfStore] gives it a graph.
// On the command line it is knng analyze --affinity FILE.
//
// # Messages
//
// s(i,k) is how well row k would serve as the exemplar of row i; s(k,k), the
// preference, how readily k becomes one. Rows i and k exchange messages where k
// is in the list of i, and every row with itself; all other similarities are
// minus infinity. An iteration is
//
//	r(i,k) = s(i,k) - max over k' != k of (a(i,k') + s(i,k'))
//	a(i,k) = min(0, r(k,k) + sum over i' not in {i,k} of max(0, r(i',k)))
//	a(k,k) = sum over i' != k of max(0, r(i',k))
//
// and each message becomes damping times its old value plus 1 - damping times the new one.
// Row k is an exemplar where r(k,k) + a(k,k) > 0. When the exemplars have stayed
// the same for long enough, every other row follows the exemplar of its list
// that is most similar to it.
//
// A row whose list holds no exemplar stands alone: its cluster is itself. In
// place of the random noise by which the paper's program breaks ties, a
// billionth of the preference times a hash of (seed, i, k) is added to s(i,k):
// without it, two rows that prefer each other equally would swap for ever. Where
// the preference is 0, as the median is where most neighbors are identical rows,
// it is a billionth of the mean similarity, and is taken off the preference, so
// that identical rows, which could as well lead as follow, follow.
//
// # Passes
//
// An iteration is one pass over the lists, in order. It reads the messages of
// all edges from one file and writes them to another: 16 bytes an edge, read and
// written sequentially. Held in memory: 45 bytes a row. So the graph may be
// larger than memory. The files have no names where the system allows that, and
// go with the process. 1.3 million edges take 0.2 s an iteration on a busy machine.
package affinity

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"

	"github.com/knng/knng/store"
	"github.com/knng/knng/vectors"
)

// Lists goes over all rows in ascending order and calls fn with the rows that
// row i may follow, none of them i or twice, and the similarities to them. It
// says the same each time that it is called; the slices may be reused. A row
// without any is passed with none, or left out.
type Lists func(fn func(i uint32, to []uint32, s []float32) error) error

// OfStore goes over the lists of a graph. The similarity is minus the key: under
// euclidean the negative squared distance, as in the paper.
func OfStore(g *store.Store) Lists {
	return func(fn func(i uint32, to []uint32, s []float32) error) error {
		if g == nil {
			return vectors.Misused(errors.New("affinity: the store is nil"))
		}
		var s []float32
		return g.EachKeyed(func(row store.Row, neighbors []uint32, keys []float32) error {
			s = s[:0]
			for _, key := range keys {
				s = append(s, -key)
			}
			return fn(uint32(row), neighbors, s)
		})
	}
}

// Options of a clustering. The zero value works.
type Options struct {
	// Preference of every row; nil is the median of all similarities. A larger
	// one makes more clusters.
	Preference *float32
	Damping    float64 // from 0.5 to below 1; 0 is 0.9
	Steady     int     // iterations without a new exemplar that end it; 0 is 50
	Iterations int     // at most; 0 is 1000
	Seed       uint64  // of what breaks ties
	Scratch    string  // folder for the messages; "" is os.TempDir()
	// Progress is told of every iteration.
	Progress func(iteration, exemplars int)
}

func (o Options) withDefaults() Options {
	o.Damping = cmp.Or(o.Damping, 0.9)
	o.Steady = cmp.Or(o.Steady, 50)
	o.Iterations = cmp.Or(o.Iterations, 1000)
	if o.Progress == nil {
		o.Progress = func(int, int) {}
	}
	return o
}

func (o *Options) validate() error {
	var faults []error
	if !(o.Damping >= 0.5 && o.Damping < 1) {
		faults = append(faults, fmt.Errorf("affinity: damping is %v, want 0.5 to below 1", o.Damping))
	}
	if o.Steady < 1 || o.Iterations < 1 {
		faults = append(faults, fmt.Errorf("affinity: %d iterations, %d of them steady, want at least 1", o.Iterations, o.Steady))
	}
	if p := o.Preference; p != nil && (math.IsNaN(float64(*p)) || math.IsInf(float64(*p), 0)) {
		faults = append(faults, fmt.Errorf("affinity: preference is %v, want a finite number", *p))
	}
	return errors.Join(faults...)
}

// A Clustering says which exemplar every row follows.
type Clustering struct {
	Exemplars  []uint32 // Exemplars[i] is that of row i; an exemplar's own is itself
	Clusters   int      // how many there are, rows that stand alone included
	Alone      int      // rows that are no exemplars and have none in their list
	Preference float32  // the similarity of a row to itself that was used
	Iterations int      // that were made
	Converged  bool     // the exemplars stayed the same for Options.Steady iterations
}

// Cluster clusters n rows. Cancelling ctx ends it with ctx's error.
func Cluster(ctx context.Context, n int, lists Lists, opts Options) (*Clustering, error) {
	opts = opts.withDefaults()
	if err := opts.validate(); err != nil {
		return nil, err
	}
	lists = checked(ctx, n, lists)
	preference, mean := float32(0), 0.0
	if opts.Preference != nil {
		preference = *opts.Preference
	}
	if preference == 0 {
		middle, m, err := median(lists)
		if err != nil {
			return nil, err
		}
		mean = m
		if opts.Preference == nil {
			preference = middle
		}
	}
	p := newPropagation(n, lists, preference, cmp.Or(math.Abs(float64(preference)), mean, 1), opts)
	defer p.close()
	c := &Clustering{Preference: preference}
	for steady := 0; c.Iterations < opts.Iterations && !c.Converged; {
		changed, count, err := p.iterate(ctx)
		if err != nil {
			return nil, err
		}
		c.Iterations++
		steady++
		if changed {
			steady = 0
		}
		// Rows are exemplars from the start; none has been found until some are not.
		c.Converged = steady >= opts.Steady && (count > 0 || p.listed == 0)
		opts.Progress(c.Iterations, count)
	}
	return c, p.assign(c)
}

// checked refuses lists that would be read as another graph, and ends with ctx.
func checked(ctx context.Context, n int, lists Lists) Lists {
	return func(fn func(i uint32, to []uint32, s []float32) error) error {
		next, rows := uint64(0), 0
		return lists(func(i uint32, to []uint32, s []float32) error {
			if rows++; rows%1024 == 0 && ctx.Err() != nil {
				return ctx.Err()
			}
			if uint64(i) < next || int(i) >= n || len(to) != len(s) {
				return fmt.Errorf("affinity: row %d with %d neighbors and %d similarities, want rows from %d to below %d, ascending", i, len(to), len(s), next, n)
			}
			next = uint64(i) + 1
			for j, k := range to {
				if int(k) >= n || k == i || math.IsNaN(float64(s[j])) || math.IsInf(float64(s[j]), 0) {
					return fmt.Errorf("affinity: row %d: neighbor %d of %d rows with similarity %v", i, k, n, s[j])
				}
			}
			return fn(i, to, s)
		})
	}
}

// assign lets every row follow an exemplar.
func (p *propagation) assign(c *Clustering) error {
	c.Exemplars = make([]uint32, p.n)
	for i := range c.Exemplars {
		c.Exemplars[i] = uint32(i)
	}
	followers := 0
	err := p.lists(func(i uint32, to []uint32, s []float32) error {
		if p.exemplar[i] {
			return nil
		}
		best := -1
		for j, k := range to {
			if p.exemplar[k] && (best < 0 || s[j] > s[best] || s[j] == s[best] && k < to[best]) {
				best = j
			}
		}
		if best >= 0 {
			c.Exemplars[i] = to[best]
			followers++
		}
		return nil
	})
	c.Clusters = p.n - followers
	c.Alone = c.Clusters
	for _, is := range p.exemplar {
		if is {
			c.Alone--
		}
	}
	return err
}
