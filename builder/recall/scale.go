package recall

import (
	"errors"
	"fmt"
	"math"

	"github.com/knng/knng/vectors/distance"
)

// TruthDistances is the scale of the distances of a truth file.
type TruthDistances uint8

// Scales of a truth file.
const (
	Auto    TruthDistances = iota // find out, by comparing with computed keys
	Squared                       // squared euclidean distances, which are keys
	Plain                         // distances of the metric itself, as people see them
)

// ParseTruthDistances reads auto, squared or metric.
func ParseTruthDistances(s string) (TruthDistances, error) {
	for d, name := range truthNames {
		if name == s {
			return TruthDistances(d), nil
		}
	}
	return 0, fmt.Errorf("recall: unknown truth distances %q: want auto, squared or metric", s)
}

var truthNames = [...]string{Auto: "auto", Squared: "squared", Plain: "metric"}

// String returns the name that ParseTruthDistances accepts.
func (d TruthDistances) String() string {
	if int(d) < len(truthNames) {
		return truthNames[d]
	}
	return fmt.Sprintf("recall.TruthDistances(%d)", uint8(d))
}

// ErrScale: the distances of the truth agree with the keys on no scale.
var ErrScale = errors.New("recall: the distances of the truth are not those of this graph")

// Rounding of keys and truth. A key is rounded to float32 once; before that the
// differences of float32 rows are, each within 2^-24, which their squares
// double. A plain distance is rounded by 2^-24, which its square doubles. In all
// under 2^-21; the tolerance is twice that. It is relative to the key, except
// under cosine, where truth computed from float32 cosines, next to 1, is off by
// 2^-24 whatever the key.
const (
	relativeTolerance = 1.0 / (1 << 20)
	cosineTolerance   = 1.0 / (1 << 24)
)

// scale turns truth distances into keys, with a tolerance.
type scale struct {
	square   bool
	exponent int     // of the power of two by which the graph multiplied its keys
	plus     float64 // absolute tolerance
}

// bound is the largest key that counts as no farther than truth distance d.
func (s scale) bound(d float32) float32 {
	key := s.key(d)
	return float32(key + math.Abs(key)*relativeTolerance + s.plus)
}

func (s scale) key(d float32) float64 {
	key := float64(d)
	if s.square {
		key *= key
	}
	return math.Ldexp(key, s.exponent)
}

// distance is the truth distance of a key.
func (s scale) distance(key float32) float64 {
	d := math.Ldexp(float64(key), -s.exponent)
	if s.square {
		return math.Sqrt(d)
	}
	return d
}

// agrees reports whether truth distance d and key are of the same pair.
func (s scale) agrees(d, key float32) bool {
	want := s.key(d)
	return math.Abs(float64(key)-want) <= math.Abs(want)*relativeTolerance+s.plus
}

// Lookup appends the list that a graph has for an input row: neighbors as input
// rows, and keys.
type Lookup func(row uint32, neighbors []uint32, keys []float32) ([]uint32, []float32, error)

// PerRow is the recall@k of the graph's list of every row of the truth. Ties are
// accepted by key, within the rounding of the truth (a relative 2^-20 of the
// key). k is the graph's list length, at most t.K; n its rows.
//
// Under euclidean and sqeuclidean the truth may hold squared or plain distances;
// Auto takes the scale that the pairs in both the truth and the lists agree with,
// and fails with ErrScale where most agree with neither. Under other metrics
// there is one scale, that of the key; Auto checks it, Plain trusts it.
func (t *Truth) PerRow(n, k int, metric distance.Metric, distances TruthDistances, lookup Lookup) ([]float64, error) {
	if err := t.Check(n, k); err != nil {
		return nil, err
	}
	sc, err := t.scale(metric, distances, lookup)
	if err != nil {
		return nil, err
	}
	recalls := make([]float64, len(t.Rows))
	var neighbors []uint32
	var keys []float32
	for i, row := range t.Rows {
		if neighbors, keys, err = lookup(row, neighbors[:0], keys[:0]); err != nil {
			return nil, err
		}
		_, truth := t.List(i)
		recalls[i] = 1
		if k > 0 {
			recalls[i] = share(sc.bound(truth[k-1]), k, neighbors, keys, row)
		}
	}
	return recalls, nil
}

// scale settles the scale of the distances.
func (t *Truth) scale(metric distance.Metric, distances TruthDistances, lookup Lookup) (scale, error) {
	scales, err := t.scales(metric, distances)
	if err != nil || distances != Auto {
		return append(scales, scale{})[0], err
	}
	return t.agreeing(lookup, scales...)
}

// scales are those that distances may have: of rows as they were given, and for Auto of rows as the graph multiplied them.
func (t *Truth) scales(metric distance.Metric, distances TruthDistances) ([]scale, error) {
	given, err := scales(metric, distances)
	exponent := t.Exponent * metric.Degree()
	if metric.Roots() {
		exponent *= 2
	}
	if err != nil || exponent == 0 {
		return given, err
	}
	multiplied := given[0]
	for i := range given {
		given[i].exponent = exponent
	}
	if distances == Auto {
		given = append(given, multiplied)
	}
	return given, nil
}

// scales are those that distances may have where rows are compared as they were given.
func scales(metric distance.Metric, distances TruthDistances) ([]scale, error) {
	switch {
	case !metric.Squares():
		if distances == Squared {
			return nil, fmt.Errorf("recall: squared truth distances asked for, but the graph's metric is %v", metric)
		}
		sc := scale{}
		if metric.Products() && metric != distance.IP {
			sc.plus = cosineTolerance
		}
		return []scale{sc}, nil
	case distances == Squared:
		return []scale{{}}, nil
	case distances == Plain:
		return []scale{{square: metric.Roots()}}, nil
	}
	return []scale{{}, {square: true}}, nil
}

// agreeing chooses the scale with which most pairs agree that are both in the
// truth and in the graph. Without such a pair it is the first.
func (t *Truth) agreeing(lookup Lookup, scales ...scale) (best scale, err error) {
	votes, pairs := make([]int, len(scales)), 0
	var neighbors []uint32
	var keys []float32
	for i, row := range t.Rows {
		if neighbors, keys, err = lookup(row, neighbors[:0], keys[:0]); err != nil {
			return best, err
		}
		truth, distances := t.List(i)
		own := make(map[uint32]float32, len(neighbors))
		for j, id := range neighbors {
			own[id] = keys[j]
		}
		for j, id := range truth {
			key, ok := own[id]
			if !ok {
				continue
			}
			pairs++
			for s := range scales {
				if scales[s].agrees(distances[j], key) {
					votes[s]++
				}
			}
		}
	}
	most := 0
	for s := range scales {
		if votes[s] > votes[most] {
			most = s
		}
	}
	if 2*votes[most] < pairs {
		return best, fmt.Errorf("%w: of %d pairs in both, %d agree: is the metric or the data another, or the precision lower than float32?",
			ErrScale, pairs, votes[most])
	}
	return scales[most], nil
}
