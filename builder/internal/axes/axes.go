// Package axes decides along how many axes codes are compared in place of all dimensions, and
// whether codes are short, along axes or not: so few and short that most neighbors of a row are
// still among its candidates.
package axes

import (
	"math"
	"slices"

	"github.com/knng/knng/vectors/codes"
)

// Choice is the task that axes are chosen for.
type Choice struct {
	K          int     // neighbors of a list
	Candidates int     // that are kept for it
	Loss       float64 // share of the neighbors that may be missing among them
	Threads    int

	// Near returns, for each of some rows of m, the k nearest others by their codes, or all.
	Near func(m *codes.Matrix, rows []uint32, k int) ([][]uint32, error)

	// Truth is neighbors of some rows, by which the choice is checked. Without any it is not.
	Truth Lists
}

// Lists are the neighbors of rows.
type Lists struct {
	Rows      []uint32
	Neighbors [][]uint32
}

// some are at most so many of the lists, evenly spread.
func (l Lists) some(count int) (s Lists) {
	for _, i := range spread(len(l.Rows), count) {
		s.Rows, s.Neighbors = append(s.Rows, l.Rows[i]), append(s.Neighbors, l.Neighbors[i])
	}
	return s
}

const (
	// sampleRows is among how many rows it is tried how many axes to begin with, and
	// sampleQueries for how many of them. Among more rows more is lost: among all of GIST and
	// MNIST 9 and 10 times as much as among 4,096, among 200,000 generated rows 25 times: a power
	// of their ratio. The truth, among all rows, then decides the number.
	sampleRows, sampleQueries = 4096, 128
	// checkedQueries of the truth are compared with all rows.
	checkedQueries = 128

	// fewAxes is how many are found and tried first, mostAxes the most. More than
	// mostOfDim of the dimensions cost as much as they save.
	fewAxes, mostAxes = 256, 512
	mostOfDim         = 0.75
	// doubt is by how many axes the sample may be too few for all rows.
	doubt = 2 * codes.AxesStep

	// lossPerStep is about how many times as much is lost with a step of axes less: between 1.6
	// and 3.3 on GIST, MNIST and generated rows.
	lossPerStep = 3
)

// Chosen is axes and the rows' codes along them.
type Chosen struct {
	Axes  *codes.Axes
	Codes *codes.Nested
}

// Choose finds axes for the rows of m. It returns nil where no axes are few enough, or
// nothing may be lost. Errors are those of Near.
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

// Most is how many axes are chosen at most for codes of so many dimensions.
func Most(dim int) int {
	return min(mostAxes, int(mostOfDim*float64(dim))/codes.AxesStep*codes.AxesStep)
}

// trial tries axes, on a sample and on all rows.
type trial struct {
	Choice
	m       *codes.Matrix
	sample  *codes.Matrix
	exact   Lists   // of rows of the sample, in it
	allowed float64 // loss there
	need    int     // about so many axes
	tooFew  int     // so many lose too much of the truth
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

// among returns as few of the first axes as lose little enough, nil where all of them lose
// too much: need is then about as many as may not.
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

// fewest returns as few of all axes as lose at most allowed of exact lists, beginning with
// count of them, and 0 where all lose more; about as many as would not are in need.
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

// fewer returns fewer axes than count, which lose so many of exact lists, but at least few of
// them, as long as too much is not expected to be lost.
func (t *trial) fewer(along *codes.Nested, count, few int, lost float64, exact Lists, allowed float64) (int, error) {
	least := 0.5 / float64(t.K*len(exact.Rows)) // where none was seen to be lost
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

// steps is how many whole steps of axes make the less of two losses, which is not 0, of
// the more.
func steps(less, more float64) (n int) {
	for less *= lossPerStep; less <= more; less *= lossPerStep {
		n++
	}
	return n
}

// checked returns as few of the axes, first so many, as lose little enough of the truth, with
// the residuals of rows or, where these mislead, without.
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

// most is how much of so many rows of the truth may be found lost: the loss allowed and its
// standard error.
func (c Choice) most(queries int) float64 {
	return c.mostOf(c.Loss, min(queries, len(c.Truth.Rows)))
}

func (c Choice) mostOf(loss float64, queries int) float64 {
	return loss + math.Sqrt(loss/float64(c.K*queries))
}

// lost is the share of the neighbors in exact lists that are not among the candidates that
// codes along the first axes leave.
func (t *trial) lost(along *codes.Nested, count int, exact Lists) (float64, error) {
	reduced, err := along.First(count)
	if err != nil {
		return 0, err
	}
	return t.missed(reduced, exact)
}

// missed is the share of the neighbors in exact lists that are not among the candidates that
// codes leave.
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

// spread is count of n numbers, evenly spread, or all of them.
func spread(n, count int) []uint32 {
	numbers := make([]uint32, min(n, count))
	for i := range numbers {
		numbers[i] = uint32(i * n / len(numbers))
	}
	return numbers
}
