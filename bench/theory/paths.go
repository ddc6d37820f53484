package theory

import (
	"fmt"
	"math"
	"slices"

	"github.com/knng/knng/builder/knn"
)

// maxBetween is the most intermediates that are looked at.
const maxBetween = 3

// path finds a way over t intermediates, each a true neighbor of the one before,
// to j: the first in the order of lists. Empty if there is none.
func (s *study) path(i, j uint32, t int) path {
	var p path
	way := []uint32{i}
	if !s.extend(&way, j, t) {
		return p
	}
	way = append(way, j)
	for n := range len(way) - 1 {
		p.steps = append(p.steps, [2]uint32{way[n], way[n+1]})
		p.odds = append(p.odds, s.estimate.odds(way[n], way[n+1]))
	}
	return p
}

// extend appends t rows to a way, the last one a neighbor of j.
func (s *study) extend(way *[]uint32, j uint32, t int) bool {
	last := (*way)[len(*way)-1]
	if t == 0 {
		return s.adjacent(last, j)
	}
	ids, _ := s.exact.List(last)
	for _, id := range ids {
		if id == j || slices.Contains(*way, id) {
			continue
		}
		*way = append(*way, id)
		if s.extend(way, j, t-1) {
			return true
		}
		*way = (*way)[:len(*way)-1]
	}
	return false
}

// adjacent reports whether one of two rows is a true neighbor of the other.
func (s *study) adjacent(a, b uint32) bool {
	ofA, _ := s.exact.List(a)
	ofB, _ := s.exact.List(b)
	return slices.Contains(ofA, b) || slices.Contains(ofB, a)
}

// lemma3 follows paths after L-1 trees, as the paper counts.
func (s *study) lemma3() {
	h := s.check.depth
	for t := 1; t <= maxBetween; t++ {
		found := Curve{Name: fmt.Sprintf("found, %d between", t)}
		planes := Curve{Name: fmt.Sprintf("by hyperplanes, %d between", t), Predicted: true}
		trees := Curve{Name: fmt.Sprintf("by trees, %d between", t), Predicted: true}
		for l := 2; l <= s.Trees; l++ {
			x := float64(l)
			found.add(x, s.mean(func(p *pair) (float64, bool) { return one(s.walked(&p.paths[t], l-1)), p.paths[t].steps != nil }))
			planes.add(x, s.mean(func(p *pair) (float64, bool) {
				return Through(p.paths[t].planes(h), l-1), p.paths[t].steps != nil
			}))
			trees.add(x, s.mean(func(p *pair) (float64, bool) { return p.paths[t].byTrees(l - 1), p.paths[t].steps != nil }))
		}
		s.report.Paths = append(s.report.Paths, found, planes, trees)
	}
	s.report.Common = s.mean(func(p *pair) (float64, bool) { return one(p.paths[1].steps != nil), true })
}

// walked reports whether all steps are discovered by the first trees.
func (s *study) walked(p *path, trees int) bool {
	for _, step := range p.steps {
		if !s.check.discovered(step[0], step[1], trees) {
			return false
		}
	}
	return true
}

func (p *path) planes(depth int) (qs []float64) {
	for _, o := range p.odds {
		qs = append(qs, o.perTree(depth))
	}
	return qs
}

func (p *path) byTrees(trees int) float64 {
	product := 1.0
	for _, o := range p.odds {
		product *= 1 - missedByAll(o.trees, o.all, trees)
	}
	return product
}

// theorem compares Theorem 1 and the probability in its proof with the pairs that one common
// neighbor leads to, and with lists of k after L trees and one round. All are
// means over the pairs that have a common neighbor, as the theorem supposes.
func (s *study) theorem() error {
	h := s.check.depth
	var planes []float64
	for i := range s.pairs {
		planes = append(planes, s.pairs[i].odds.plane)
	}
	slices.Sort(planes)
	bounds := []Curve{{Name: "bound, smallest P"}, {Name: "bound, 1 % quantile of P"}, {Name: "bound, 5 % quantile of P"}, {Name: "bound, median P"}}
	for i, q := range []float64{0, 0.01, 0.05, 0.5} {
		bounds[i].Predicted = true
		s.report.Quantiles = append(s.report.Quantiles, planes[int(q*float64(len(planes)-1))])
	}
	proof := Curve{Name: "the proof's probability, by hyperplanes", Predicted: true}
	proofTrees := Curve{Name: "the proof's probability, by trees", Predicted: true}
	oneWay := Curve{Name: "found, by that one common neighbor"}
	real := Curve{Name: "found, lists after one round"}
	lists := knn.New(s.x.Len(), s.K, nil)
	for l := 1; l <= s.Trees; l++ {
		if err := s.unite(lists, l-1); err != nil {
			return err
		}
		x := float64(l)
		for i, p := range s.report.Quantiles {
			bounds[i].add(x, Bound(math.Pow(p, float64(h)), l))
		}
		proof.add(x, s.mean(func(p *pair) (float64, bool) {
			if p.paths[1].steps == nil {
				return 0, false
			}
			qs := p.paths[1].planes(h)
			return WithRound(p.odds.perTree(h), qs[0], qs[1], l), true
		}))
		proofTrees.add(x, s.mean(func(p *pair) (float64, bool) {
			missed := missedByAll(p.odds.trees, p.odds.all, l)
			return 1 - missed + missed*p.paths[1].byTrees(l), p.paths[1].steps != nil
		}))
		oneWay.add(x, s.mean(func(p *pair) (float64, bool) {
			return one(s.check.discovered(p.i, p.j, l) || s.walked(&p.paths[1], l)), p.paths[1].steps != nil
		}))
		real.add(x, s.mean(func(p *pair) (float64, bool) { return one(reached(lists, p.i, p.j)), p.paths[1].steps != nil }))
	}
	s.report.Round = append([]Curve{real, oneWay, proof, proofTrees}, bounds...)
	return nil
}

// unite adds the exact lists within the leaves of a tree.
func (s *study) unite(lists *knn.Lists, tree int) error {
	leaves := make([][]uint32, 1<<s.check.depth)
	for row, leaf := range s.check.labels[tree] {
		leaves[leaf] = append(leaves[leaf], uint32(row))
	}
	for _, leaf := range leaves {
		if err := s.x.Solve(leaf, lists); err != nil {
			return err
		}
	}
	return nil
}

// reached reports whether a row lists another, or a row that lists it.
func reached(lists *knn.Lists, i, j uint32) bool {
	ids, _ := lists.List(i)
	if slices.Contains(ids, j) {
		return true
	}
	for _, id := range ids {
		second, _ := lists.List(id)
		if slices.Contains(second, j) {
			return true
		}
	}
	return false
}
