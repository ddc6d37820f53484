// Package axes chooses the number of axes along which codes are compared instead of all dimensions, and
// whether codes are short: as few axes and bits as keep most neighbors of a row among its candidates.
package axes

import (
	"math"
	"slices"

	"github.com/knng/knng/vectors/codes"
)

// Choice holds the conditions of a choice.
type Choice struct {
	K          int     // neighbors of a list
	Candidates int     // kept for such a list
	Loss       float64 // share of the neighbors that may be missing among the candidates
	Threads    int

	// Near returns the k nearest other rows, or all, for each of some rows of m, by their codes.
	Near func(m *codes.Matrix, rows []uint32, k int) ([][]uint32, error)

	// Truth holds the neighbors of some rows, to check the choice with; without any, it is not checked.
	Truth Lists
}

// Lists are the neighbors of rows.
type Lists struct {
	Rows      []uint32
	Neighbors [][]uint32
}

// some returns at most count of the lists, evenly spread.
func (l Lists) some(count int) (s Lists) {
	for _, i := range spread(len(l.Rows), count) {
		s.Rows, s.Neighbors = append(s.Rows, l.Rows[i]), append(s.Neighbors, l.Neighbors[i])
	}
	return s
}

const (
	// sampleRows is the size of the sample in which the first number of axes is tried, for sampleQueries of
	// its rows. Among more rows the loss is larger, by a power of the ratio of rows: among all of GIST and
	// MNIST 9 and 10 times as large as among 4,096, among 200,000 generated rows 25 times. The truth, among
	// all rows, then decides the number.
	sampleRows, sampleQueries = 4096, 128
	// checkedQueries is the number of rows of the truth that are compared with all rows.
	checkedQueries = 128

	// fewAxes is the number of axes found and tried first, mostAxes the largest number. More than mostOfDim
	// of the dimensions cost as much as they save.
	fewAxes, mostAxes = 256, 512
	mostOfDim         = 0.75
	// doubt is by how many axes the sample may underestimate the need.
	doubt = 2 * codes.AxesStep

	// lossPerStep is about the factor by which the loss grows with one step of axes less: 1.6 to 3.3 on GIST,
	// MNIST and generated rows.
	lossPerStep = 3
)

// Chosen holds axes and the rows' codes along them.
type Chosen struct {
	Axes  *codes.Axes
	Codes *codes.Nested
}

// Choose finds axes for the rows of m. It returns nil if too many axes would be needed, or no loss is
// allowed. Errors are those of Near.
func (c Choice) Choose(m *codes.Matrix) (*Chosen, error) {
	if c.Loss <= 0 {
		return nil, nil
	}
	t, err := c.newTrial(m)
	if err != nil {
		return nil, err
	}
	most := Most(m.Dim())
	count := min(fewAxes, most)
	if most < 3*fewAxes/2 { // one basis has them all
		count = most
	}
	for {
		basis, err := m.Basis(count, c.Threads)
		if err != nil {
			return nil, err
		}
		axes, err := basis.Axes(count, c.Threads)
		if err != nil {
			return nil, err
		}
		chosen, err := t.among(axes)
		if err != nil || chosen != nil || count == most || t.need > most+doubt {
			return chosen, err
		}
		for count < min(t.need, most) {
			count = min(count+count/2, most)
		}
	}
}

// Most returns the largest number of axes for codes of dim dimensions.
func Most(dim int) int {
	return min(mostAxes, int(mostOfDim*float64(dim))/codes.AxesStep*codes.AxesStep)
}

// trial tries axes on a sample and on all rows.
type trial struct {
	Choice
	m       *codes.Matrix
	sample  *codes.Matrix
	exact   Lists   // of rows of the sample, in the sample
	allowed float64 // loss in the sample
	need    int     // about the number of axes needed
	tooFew  int     // a number of axes that loses too much of the truth
}

func (c Choice) newTrial(m *codes.Matrix) (*trial, error) {
	t := &trial{Choice: c, m: m, sample: m.Some(spread(m.Len(), sampleRows))}
	half := math.Sqrt(float64(t.sample.Len()) / float64(m.Len()))
	quarter := math.Sqrt(half)
	t.allowed = c.Loss * half * quarter * math.Sqrt(math.Sqrt(quarter)) // to the power of 13/16, rounded alike everywhere
	t.exact.Rows = spread(t.sample.Len(), sampleQueries)
	var err error
	t.exact.Neighbors, err = t.Near(t.sample, t.exact.Rows, c.K)
	return t, err
}

// among returns the smallest number of leading axes that loses little enough, or nil if all lose too much;
// need is then about the number needed.
func (t *trial) among(axes *codes.Axes) (*Chosen, error) {
	sample, err := t.sample.Nested(axes, t.Threads)
	if err != nil {
		return nil, err
	}
	count, need, err := t.fewest(sample, min(fewAxes, axes.Count), axes.Count, t.exact, t.allowed)
	if err != nil {
		return nil, err
	}
	t.need = max(t.need, need)
	if len(t.Truth.Rows) > 0 {
		if count == 0 && axes.Count == Most(t.m.Dim()) && t.need <= axes.Count+doubt {
			count = axes.Count
		}
		if count > 0 {
			return t.checked(axes, min(max(count, t.tooFew+codes.AxesStep), axes.Count))
		}
	}
	if count == 0 {
		return nil, nil
	}
	all, err := t.m.Nested(axes.First(count), t.Threads)
	if err != nil {
		return nil, err
	}
	return t.taken(all, count, sample, t.exact, t.allowed)
}

// fewest returns the smallest number of leading axes whose loss of exact lists is at most allowed, searching
// from count; 0 if even all lose more. need is about the number needed then.
func (t *trial) fewest(along *codes.Nested, count, all int, exact Lists, allowed float64) (fewest, need int, err error) {
	lost, err := t.lost(along, count, exact)
	for err == nil && lost > allowed {
		if need = count + codes.AxesStep*max(1, steps(allowed, lost)); need > all {
			return 0, need, nil
		}
		count = need
		lost, err = t.lost(along, count, exact)
	}
	if err != nil {
		return 0, 0, err
	}
	count, err = t.fewer(along, count, max(need, codes.AxesStep), lost, exact, allowed)
	return count, need, err
}

// fewer reduces count axes, which lose lost of the exact lists, to at least few, while the expected loss
// stays within allowed.
func (t *trial) fewer(along *codes.Nested, count, few int, lost float64, exact Lists, allowed float64) (int, error) {
	least := 0.5 / float64(t.K*len(exact.Rows)) // assumed loss if none was observed
	for {
		next := max(few, count-codes.AxesStep*steps(max(lost, least), allowed))
		if next >= count {
			return count, nil
		}
		more, err := t.lost(along, next, exact)
		switch {
		case err != nil:
			return 0, err
		case more > allowed:
			few = next + codes.AxesStep
		default:
			count, lost = next, more
		}
	}
}

// steps returns the number of whole steps of axes after which the loss less, which is not 0, grows up to
// more.
func steps(less, more float64) (n int) {
	for less *= lossPerStep; less <= more; less *= lossPerStep {
		n++
	}
	return n
}

// checked returns the smallest number of axes, from count on, that loses little enough of the truth: with the
// residuals of rows or, if these mislead, without them.
func (t *trial) checked(axes *codes.Axes, count int) (*Chosen, error) {
	truth := t.Truth.some(checkedQueries)
	for {
		all, err := t.m.Nested(axes.First(count), t.Threads)
		if err != nil {
			return nil, err
		}
		lost, err := t.lost(all, count, truth)
		if err == nil && lost > t.most(checkedQueries) {
			all.Plain()
			lost, err = t.lost(all, count, truth)
		}
		switch {
		case err != nil:
			return nil, err
		case lost <= t.Loss:
			if count, err = t.fewer(all, count, codes.AxesStep, lost, truth, t.Loss); err != nil {
				return nil, err
			}
			return t.taken(all, count, all, truth, t.Loss)
		case lost <= t.most(checkedQueries):
			return t.taken(all, count, all, truth, t.Loss)
		}
		t.tooFew = count
		if t.need = count + codes.AxesStep*max(1, steps(t.Loss, lost)); t.need > axes.Count {
			return nil, nil
		}
		count = t.need
	}
}

// most returns the loss that may be measured on so many rows of the truth: the allowed loss plus its standard
// error.
func (c Choice) most(queries int) float64 {
	return c.mostOf(c.Loss, min(queries, len(c.Truth.Rows)))
}

func (c Choice) mostOf(loss float64, queries int) float64 {
	return loss + math.Sqrt(loss/float64(c.K*queries))
}

// lost returns the share of the neighbors in exact lists that are not among the candidates by codes along the
// first count axes.
func (t *trial) lost(along *codes.Nested, count int, exact Lists) (float64, error) {
	reduced, err := along.First(count)
	if err != nil {
		return 0, err
	}
	return t.missed(reduced, exact)
}

// missed returns the share of the neighbors in exact lists that are not among the candidates by the codes m.
func (c Choice) missed(m *codes.Matrix, exact Lists) (float64, error) {
	near, err := c.Near(m, exact.Rows, c.Candidates)
	if err != nil {
		return 0, err
	}
	missing, all := 0, 0
	for i, neighbors := range exact.Neighbors {
		all += len(neighbors)
		for _, x := range neighbors {
			if !slices.Contains(near[i], x) {
				missing++
			}
		}
	}
	return float64(missing) / float64(max(all, 1)), nil
}

// spread returns count of n numbers, evenly spread, or all.
func spread(n, count int) []uint32 {
	numbers := make([]uint32, min(n, count))
	for i := range numbers {
		numbers[i] = uint32(i * n / len(numbers))
	}
	return numbers
}
