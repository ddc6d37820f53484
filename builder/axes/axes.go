// Package axes decides along how many axes codes are compared in place of all dimensions:
// along so few that most neighbors of a row are still among its candidates.
package axes

import (
	"math"
	"slices"

	"github.com/knng/knng/vectors/codes"
)

// Choice says what axes must do.
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
	// sampleRows is among how many rows it is tried how many axes are needed, and
	// sampleQueries for how many of them. Among more rows more is lost: among all of GIST and
	// MNIST 9 and 10 times what is among 4,096, among 200,000 generated rows 25 times, which is
	// a power of their ratio, and checked.
	sampleRows, sampleQueries = 4096, 128
	// checkedQueries of the truth are compared with all rows.
	checkedQueries = 128

	// fewAxes is how many are found and tried first, mostAxes the most; what keeps more than
	// mostOfDim of the dimensions costs what it saves.
	fewAxes, mostAxes = 256, 512
	mostOfDim         = 0.75

	// lossPerStep is how many times as much is lost with a step of axes less: between 1.6
	// and 3.3 on GIST, MNIST and generated rows.
	lossPerStep = 2.5
)

// Choose finds axes for the rows of m, and returns their codes along them. Both are nil
// where no axes are few enough, or nothing may be lost. Errors are those of Near.
func (c Choice) Choose(m *codes.Matrix) (*codes.Axes, *codes.Matrix, error) {
	if c.Loss <= 0 {
		return nil, nil, nil
	}
	t, err := c.newTrial(m)
	if err != nil {
		return nil, nil, err
	}
	most := Most(m.Dim())
	for count := fewAxes; count < most+fewAxes; count += count / 2 {
		if count = min(count, most); most < 3*fewAxes/2 { // one basis has them all
			count = most
		}
		if count < t.need {
			continue
		}
		basis, err := m.Basis(count, c.Threads)
		if err != nil {
			return nil, nil, err
		}
		axes, reduced, err := t.fewest(basis)
		if err != nil || axes != nil || t.need > most {
			return axes, reduced, err
		}
	}
	return nil, nil, nil
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
	need    int     // fewer axes lose too much
}

func (c Choice) newTrial(m *codes.Matrix) (*trial, error) {
	t := &trial{Choice: c, m: m, sample: m.Some(spread(m.Len(), sampleRows)), need: codes.AxesStep}
	half := math.Sqrt(float64(t.sample.Len()) / float64(m.Len()))
	quarter := math.Sqrt(half)
	t.allowed = c.Loss * half * quarter * math.Sqrt(math.Sqrt(quarter)) // to the power of 13/16, rounded alike everywhere
	t.exact.Rows = spread(t.sample.Len(), sampleQueries)
	var err error
	t.exact.Neighbors, err = t.Near(t.sample, t.exact.Rows, c.K)
	return t, err
}

// fewest returns as few axes of a basis as lose little enough, none where all of them
// lose too much: need is then about as many as may not.
func (t *trial) fewest(basis *codes.Basis) (*codes.Axes, *codes.Matrix, error) {
	count := max(t.need, min(fewAxes, basis.Count()))
	axes, lost, err := t.try(basis, count)
	for err == nil && lost > t.allowed {
		t.need = count + codes.AxesStep*max(1, steps(t.allowed, lost))
		if t.need > basis.Count() {
			return nil, nil, nil
		}
		count = t.need
		axes, lost, err = t.try(basis, count)
	}
	if err != nil {
		return nil, nil, err
	}
	least := 0.5 / float64(t.K*len(t.exact.Rows)) // where none was seen to be lost
	for {                                         // fewer, as long as too much is not expected to be lost
		fewer := max(t.need, count-codes.AxesStep*steps(max(lost, least), t.allowed))
		if fewer >= count {
			break
		}
		tried, l, err := t.try(basis, fewer)
		if err != nil {
			return nil, nil, err
		}
		if l > t.allowed {
			t.need = fewer + codes.AxesStep
			continue
		}
		axes, count, lost = tried, fewer, l
	}
	return t.checked(basis, axes, count)
}

// steps is how many whole steps of axes make the less of two losses, which is not 0, of
// the more.
func steps(less, more float64) (n int) {
	for less *= lossPerStep; less <= more; less *= lossPerStep {
		n++
	}
	return n
}

// checked takes so many axes, and more until little enough of the truth is lost, with what
// rows have beside them or, where that misleads, without.
func (t *trial) checked(basis *codes.Basis, axes *codes.Axes, count int) (*codes.Axes, *codes.Matrix, error) {
	for {
		reduced, err := t.m.Along(axes, t.Threads)
		if err != nil || len(t.Truth.Rows) == 0 {
			return axes, reduced, err
		}
		lost, err := t.lost(reduced, t.Truth.some(checkedQueries))
		if err == nil && lost > t.most() {
			axes = axes.Plain()
			reduced.DropRest()
			lost, err = t.lost(reduced, t.Truth.some(checkedQueries))
		}
		if err != nil {
			return nil, nil, err
		}
		if lost <= t.most() {
			return axes, reduced, nil
		}
		count += codes.AxesStep * max(1, steps(t.Loss, lost))
		if t.need = count; count > basis.Count() {
			return nil, nil, nil
		}
		if axes, err = basis.Axes(count, t.Threads); err != nil {
			return nil, nil, err
		}
	}
}

// most is how much of the truth may be found lost: what may be lost, and its standard error.
func (t *trial) most() float64 {
	return t.Loss + math.Sqrt(t.Loss/float64(t.K*min(checkedQueries, len(t.Truth.Rows))))
}

// try returns the first count axes of a basis, and what is lost along them in the sample.
func (t *trial) try(basis *codes.Basis, count int) (*codes.Axes, float64, error) {
	axes, err := basis.Axes(count, t.Threads)
	if err != nil {
		return nil, 0, err
	}
	reduced, err := t.sample.Along(axes, t.Threads)
	if err != nil {
		return nil, 0, err
	}
	lost, err := t.lost(reduced, t.exact)
	return axes, lost, err
}

// lost is the share of the neighbors in exact lists that are not among the candidates that
// reduced codes leave.
func (t *trial) lost(reduced *codes.Matrix, exact Lists) (float64, error) {
	near, err := t.Near(reduced, exact.Rows, t.Candidates)
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
