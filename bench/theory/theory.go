// Package theory compares the lemmas of Wang et al., "Scalable k-NN graph
// construction", sections "Analysis" and "Appendix", with the pairs that trees and one
// round of propagation really find.
//
// The lemmas speak of P_ij, the probability that a random hyperplane leaves a true
// neighbor on a row's side, which nobody knows for hyperplanes along principal
// directions. Here some trees estimate it for every pair, and others, independent
// of them, test the predictions. There are two predictions: "by
// hyperplanes", P_ij^h, supposes as the paper does that all h hyperplanes of a tree
// are alike and independent; "by trees" estimates the share of trees that discover
// a pair and supposes only that trees are independent. Their difference is
// the fault of the first supposition.
package theory

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/knng/knng/bench/baseline"
	"github.com/knng/knng/bench/baseline/brute"
	"github.com/knng/knng/builder/knn"
	"github.com/knng/knng/builder/recall"
	"github.com/knng/knng/vectors"
	"github.com/knng/knng/vectors/distance"
)

// Config is the rows and trees to look at.
type Config struct {
	Rows     *vectors.Rows
	K        int // length of the exact lists
	LeafSize int
	Sample   int // rows whose true neighbors are the pairs
	Estimate int // trees that estimate
	Trees    int // trees that are held against: the largest L
	Seed     uint64
	Threads  int
}

// Curve is a line of a figure.
type Curve struct {
	Name      string    `json:"name"`
	Predicted bool      `json:"predicted"`
	X         []float64 `json:"x"`
	Y         []float64 `json:"y"`
}

func (c *Curve) add(x, y float64) {
	c.X, c.Y = append(c.X, x), append(c.Y, y)
}

// Report is the findings. X is L, the number of trees, unless a field says otherwise.
type Report struct {
	Data      string    `json:"data"`
	Rows      int       `json:"rows"`
	Dim       int       `json:"dim"`
	K         int       `json:"k"`
	Depth     int       `json:"depth"` // h
	Pairs     int       `json:"pairs"`
	Common    float64   `json:"common"`     // share of pairs that have a common neighbor
	Quantiles []float64 `json:"quantiles"`  // of P over the pairs: minimum, 1, 5, 50 %
	Found     []Curve   `json:"discovered"` // Lemma 1
	New       []Curve   `json:"new"`        // Lemma 2
	Paths     []Curve   `json:"paths"`      // Lemma 3 and its generalisation
	Round     []Curve   `json:"round"`      // Theorem 1
	PerPair   []Curve   `json:"per_pair"`   // X: predicted for a tree, or some; Y: found, mean of pairs of like prediction
	Levels    []Curve   `json:"levels"`     // X: level; Y: P there
	Known     []Curve   `json:"known"`      // the appendix's dividers, as PerPair
}

// study is a report in the making.
type study struct {
	Config
	x        *baseline.Points
	exact    *knn.Lists
	estimate *forest
	check    *forest
	pairs    []pair
	report   *Report
}

// pair is a row and a true neighbor.
type pair struct {
	i, j  uint32
	odds  odds
	paths [maxBetween + 1]path // paths[t] has t intermediates; empty if there is none
}

// path is a way from i to j over true neighbors.
type path struct {
	steps [][2]uint32
	odds  []odds
}

// Run makes a report. It holds the exact graph: rows should be some ten thousand.
func Run(ctx context.Context, c Config) (*Report, error) {
	p := &baseline.Problem{Rows: c.Rows, Metric: distance.Euclidean, K: c.K, Seed: c.Seed, Threads: c.Threads}
	g, err := brute.Blocked{}.Build(ctx, p)
	if err != nil {
		return nil, err
	}
	s := &study{Config: c, exact: g.Lists}
	if s.x, err = baseline.NewPoints(p); err != nil {
		return nil, err
	}
	if s.estimate, err = principal(ctx, s.x, c.LeafSize, 1, c.Estimate, c.Threads, c.Seed); err != nil {
		return nil, err
	}
	if s.check, err = principal(ctx, s.x, c.LeafSize, 1+c.Estimate, c.Trees, c.Threads, c.Seed); err != nil {
		return nil, err
	}
	s.drawPairs()
	s.report = &Report{Rows: c.Rows.Len(), Dim: c.Rows.Dim(), K: c.K, Depth: s.check.depth, Pairs: len(s.pairs)}
	s.lemma1and2()
	s.lemma3()
	if err := s.theorem(); err != nil {
		return nil, err
	}
	s.perPair()
	s.levels()
	s.known()
	return s.report, ctx.Err()
}

// drawPairs takes the true neighbors of a sample of rows.
func (s *study) drawPairs() {
	for _, i := range recall.Sample(s.x.Len(), s.Sample, s.Seed, 0) {
		ids, _ := s.exact.List(i)
		for _, j := range ids {
			p := pair{i: i, j: j, odds: s.estimate.odds(i, j)}
			for t := 1; t <= maxBetween; t++ {
				p.paths[t] = s.path(i, j, t)
			}
			s.pairs = append(s.pairs, p)
		}
	}
}

// mean is the mean over pairs for which of tells a value.
func (s *study) mean(of func(p *pair) (float64, bool)) float64 {
	var sum, count float64
	for i := range s.pairs {
		if v, ok := of(&s.pairs[i]); ok {
			sum, count = sum+v, count+1
		}
	}
	if count == 0 {
		return 0
	}
	return sum / count
}

func one(yes bool) float64 {
	if yes {
		return 1
	}
	return 0
}

func (s *study) lemma1and2() {
	found, planes, trees := Curve{Name: "found"}, Curve{Name: "Lemma 1 by hyperplanes", Predicted: true}, Curve{Name: "Lemma 1 by trees", Predicted: true}
	fresh, newPlanes, newTrees := Curve{Name: "found"}, Curve{Name: "Lemma 2 by hyperplanes", Predicted: true}, Curve{Name: "Lemma 2 by trees", Predicted: true}
	h := s.check.depth
	for l := 1; l <= s.Trees; l++ {
		x := float64(l)
		found.add(x, s.mean(func(p *pair) (float64, bool) { return one(s.check.discovered(p.i, p.j, l)), true }))
		fresh.add(x, s.mean(func(p *pair) (float64, bool) { return one(s.check.first(p.i, p.j) == l-1), true }))
		planes.add(x, s.mean(func(p *pair) (float64, bool) { return Discovered(p.odds.perTree(h), l), true }))
		newPlanes.add(x, s.mean(func(p *pair) (float64, bool) { return New(p.odds.perTree(h), l), true }))
		trees.add(x, s.mean(func(p *pair) (float64, bool) { return 1 - missedByAll(p.odds.trees, p.odds.all, l), true }))
		newTrees.add(x, s.mean(func(p *pair) (float64, bool) {
			return missedByAll(p.odds.trees, p.odds.all, l-1) - missedByAll(p.odds.trees, p.odds.all, l), true
		}))
	}
	s.report.Found = []Curve{found, planes, trees}
	s.report.New = []Curve{fresh, newPlanes, newTrees}
}

// bins is how many groups of like predictions there are.
const bins = 12

// calibrate groups pairs by prediction: x is the mean prediction of a group, y the
// mean of the measurements.
func calibrate(name string, predicted, found []float64) Curve {
	order := baseline.All(len(predicted))
	slices.SortFunc(order, func(a, b uint32) int {
		switch {
		case predicted[a] < predicted[b]:
			return -1
		case predicted[a] > predicted[b]:
			return 1
		}
		return int(a) - int(b)
	})
	c := Curve{Name: name}
	for b := range bins {
		group := order[b*len(order)/bins : (b+1)*len(order)/bins]
		var x, y float64
		for _, i := range group {
			x += predicted[i] / float64(len(group))
			y += found[i] / float64(len(group))
		}
		if len(group) > 0 {
			c.add(x, y)
		}
	}
	return c
}

// compare holds predictions for a tree against the share of a forest's trees.
func (s *study) compare(name string, f *forest, predict func(p *pair) float64) Curve {
	var predicted, found []float64
	for i := range s.pairs {
		p := &s.pairs[i]
		predicted = append(predicted, predict(p))
		found = append(found, f.odds(p.i, p.j).shared())
	}
	return calibrate(name, predicted, found)
}

var diagonal = Curve{Name: "as predicted", Predicted: true, X: []float64{0, 1}, Y: []float64{0, 1}}

func (s *study) perPair() {
	h := s.check.depth
	s.report.PerPair = []Curve{diagonal,
		s.compare("by hyperplanes, P^h", s.check, func(p *pair) float64 { return p.odds.perTree(h) }),
		s.compare("by trees", s.check, func(p *pair) float64 { return p.odds.shared() })}
	for _, l := range []int{4, 16} {
		if l > s.Trees {
			continue
		}
		var predicted, found []float64
		for i := range s.pairs {
			p := &s.pairs[i]
			predicted = append(predicted, Discovered(p.odds.perTree(h), l))
			found = append(found, s.check.within(p.i, p.j, l))
		}
		s.report.PerPair = append(s.report.PerPair, calibrate(fmt.Sprintf("by hyperplanes, 1 - (1 - P^h)^%d", l), predicted, found))
	}
}

// levels tells how often the hyperplanes of each level leave a pair together that
// they meet together.
func (s *study) levels() {
	c := Curve{Name: "pairs of true neighbors"}
	for level := range s.check.depth {
		var met, passed float64
		for i := range s.pairs {
			for t := range s.check.labels {
				if got := s.check.passed(t, s.pairs[i].i, s.pairs[i].j); got >= level {
					met++
					passed += one(got > level)
				}
			}
		}
		if met > 0 {
			c.add(float64(level+1), passed/met)
		}
	}
	s.report.Levels = []Curve{c}
}

// known looks at the dividers of the appendix, whose P follows from the distance.
func (s *study) known() {
	h := s.check.depth
	origin := throughOrigin(s.x, h, s.Estimate, s.Seed)
	distances := make([]float64, 0, len(s.pairs))
	for _, p := range s.pairs {
		distances = append(distances, s.distance(p.i, p.j))
	}
	slices.Sort(distances)
	w := 2 * distances[len(distances)*19/20]
	hashed := stable(s.x, w, h, s.Estimate, s.Seed)
	s.report.Known = []Curve{diagonal,
		s.compare("through the origin: (1 - angle/pi)^h", origin, func(p *pair) float64 {
			return math.Pow(SameSide(s.angle(p.i, p.j)), float64(h))
		}),
		s.compare("2-stable hash: at least P^h", hashed, func(p *pair) float64 {
			return math.Pow(SameBucket(s.distance(p.i, p.j), w), float64(h))
		})}
}

func (s *study) distance(a, b uint32) float64 {
	return math.Sqrt(float64(s.x.Space.Key(s.x.Row(int(a)), s.x.Row(int(b)), 0, 0)))
}

func (s *study) angle(a, b uint32) float64 {
	normA, normB := s.x.Space.Norm(s.x.Row(int(a))), s.x.Space.Norm(s.x.Row(int(b)))
	if normA == 0 || normB == 0 {
		return math.Pi / 2
	}
	d := s.distance(a, b)
	cos := (normA*normA + normB*normB - d*d) / (2 * normA * normB)
	return math.Acos(min(max(cos, -1), 1))
}

func floorDiv(v, w float64) float64 { return math.Floor(v / w) }
