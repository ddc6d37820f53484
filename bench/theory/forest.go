package theory

import (
	"context"
	"fmt"
	"math/bits"
	"math/rand/v2"
	"slices"

	"github.com/knng/knng/bench/baseline"
	"github.com/knng/knng/builder/division"
)

// forest is some divisions of all rows. Its trees have leaves at one depth only: a
// label's bits are the turns on the way to a leaf, the first one highest.
type forest struct {
	labels [][]uint32 // of every tree, of every row
	depth  int
}

// passed is how many hyperplanes of a tree leave two rows on one side until the
// first that does not: depth, if they share a leaf.
func (f *forest) passed(tree int, a, b uint32) int {
	return f.depth - bits.Len32(f.labels[tree][a]^f.labels[tree][b])
}

// discovered reports whether one of the first trees has the pair in a leaf.
func (f *forest) discovered(a, b uint32, trees int) bool { return f.first(a, b) < trees }

// first is the first tree that has the pair in a leaf; their number, if none.
func (f *forest) first(a, b uint32) int {
	for t := range f.labels {
		if f.labels[t][a] == f.labels[t][b] {
			return t
		}
	}
	return len(f.labels)
}

// within is the share of groups of so many trees, one after the other, of which at least
// one has the pair in a leaf.
func (f *forest) within(a, b uint32, trees int) float64 {
	groups, found := len(f.labels)/trees, 0
	for g := range groups {
		if slices.ContainsFunc(f.labels[g*trees:(g+1)*trees], func(labels []uint32) bool { return labels[a] == labels[b] }) {
			found++
		}
	}
	return float64(found) / float64(max(groups, 1))
}

// odds are the estimates of a forest for a pair.
type odds struct {
	plane float64 // P: the share of hyperplanes met together that left the two together
	trees int     // in which they share a leaf
	all   int
}

// perTree is the probability of a discovery in a tree by hyperplanes: P^h.
func (o odds) perTree(depth int) float64 {
	q := 1.0
	for range depth {
		q *= o.plane
	}
	return q
}

// shared is the same by trees.
func (o odds) shared() float64 { return float64(o.trees) / float64(o.all) }

func (f *forest) odds(a, b uint32) odds {
	o := odds{all: len(f.labels)}
	var passed, met int
	for t := range f.labels {
		p := f.passed(t, a, b)
		passed += p
		met += p
		if p == f.depth {
			o.trees++
		} else {
			met++
		}
	}
	if met > 0 {
		o.plane = float64(passed) / float64(met)
	}
	return o
}

// principal makes the forest of the builder's divider.
func principal(ctx context.Context, x *baseline.Points, leafSize, first, trees, threads int, seed uint64) (*forest, error) {
	tree := &division.Tree{Space: x.Space, Base: x.Base(), Stride: x.Stride(), Dim: x.Dim(), Norms: x.Norms, N: x.Len(),
		Seed: seed, LeafSize: leafSize, Sample: 100, Threads: threads}
	f := &forest{}
	for t := range trees {
		leaves, err := tree.Divide(ctx, uint32(first+t))
		if err != nil {
			return nil, err
		}
		f.depth = bits.Len(uint(leaves.Len())) - 1
		if leaves.Len() != 1<<f.depth {
			return nil, fmt.Errorf("theory: %d rows make %d leaves at two depths; take some more or fewer", x.Len(), leaves.Len())
		}
		f.labels = append(f.labels, leaves.Labels())
	}
	return f, nil
}

// throughOrigin makes trees of hyperplanes through the origin, one for each level:
// the appendix's divider under cosine.
func throughOrigin(x *baseline.Points, depth, trees int, seed uint64) *forest {
	f := &forest{depth: depth}
	rng := rand.New(rand.NewPCG(seed, 11))
	all, out, dir := baseline.All(x.Len()), make([]float64, x.Len()), make([]float32, x.Dim())
	for range trees {
		labels := make([]uint32, x.Len())
		for range depth {
			gaussian(dir, rng)
			x.Space.Dot(dir, x.Base(), x.Stride(), all, out)
			for i, v := range out {
				labels[i] <<= 1
				if v >= 0 {
					labels[i]++
				}
			}
		}
		f.labels = append(f.labels, labels)
	}
	return f
}

// stable makes trees by 2-stable hashes of width w, each node having its own and
// being split at the median of its rows' hashes: the appendix's euclidean divider.
// The paper leaves open where rows of the median's bucket go: with the smaller
// ones, so that a bucket is never cut.
func stable(x *baseline.Points, w float64, depth, trees int, seed uint64) *forest {
	f := &forest{depth: depth}
	rng := rand.New(rand.NewPCG(seed, 12))
	dir := make([]float32, x.Dim())
	for range trees {
		labels := make([]uint32, x.Len())
		var split func(ids []uint32, level int)
		split = func(ids []uint32, level int) {
			if level == depth || len(ids) == 0 {
				return
			}
			gaussian(dir, rng)
			hashes := make([]float64, len(ids))
			x.Space.Dot(dir, x.Base(), x.Stride(), ids, hashes)
			shift := rng.Float64() * w
			for i, v := range hashes {
				hashes[i] = floorDiv(v+shift, w)
			}
			middle := slices.Sorted(slices.Values(hashes))[len(ids)/2]
			var left, right []uint32
			for i, id := range ids {
				labels[id] <<= 1
				if hashes[i] <= middle {
					left = append(left, id)
				} else {
					labels[id]++
					right = append(right, id)
				}
			}
			split(left, level+1)
			split(right, level+1)
		}
		split(baseline.All(x.Len()), 0)
		f.labels = append(f.labels, labels)
	}
	return f
}

func gaussian(dir []float32, rng *rand.Rand) {
	for i := range dir {
		dir[i] = float32(rng.NormFloat64())
	}
}
