package axes

import (
	"github.com/knng/knng/builder/internal/fixed"
	"github.com/knng/knng/vectors/codes"
)

// Short returns the codes of m shortened, in room, or nil if they lose too much.
func (c Choice) Short(m *codes.Matrix, s codes.Shortening, room []byte) (*codes.Matrix, error) {
	if c.Loss <= 0 || s.Most <= s.Least {
		return nil, nil
	}
	if len(c.Truth.Rows) == 0 {
		if few, err := c.shortSample(m, s); err != nil || !few {
			return nil, err
		}
		return m.Short(s, room, c.Threads)
	}
	short, err := m.Short(s, room, c.Threads)
	if err != nil {
		return nil, err
	}
	lost, err := c.missed(short, c.Truth.some(fixed.ShortQueries))
	if err != nil || lost > c.most(fixed.ShortQueries) {
		return nil, err
	}
	return short, nil
}

// shortSample reports whether short codes lose little enough in a sample of rows.
func (c Choice) shortSample(m *codes.Matrix, s codes.Shortening) (bool, error) {
	t, err := c.newTrial(m)
	if err != nil {
		return false, err
	}
	short, err := t.sample.Short(s, make([]byte, t.sample.ShortBytes()), c.Threads)
	if err != nil {
		return false, err
	}
	lost, err := c.missed(short, t.exact)
	return lost <= t.allowed, err
}

// taken returns the first count axes, with short codes if these lose little enough of exact lists too, among
// the rows tried. It does not add axes for short codes: a CPU that multiplies bytes compares them no faster.
func (t *trial) taken(all *codes.Nested, count int, tried *codes.Nested, exact Lists, allowed float64) (*Chosen, error) {
	tried.Shorten(true)
	lost, err := t.lost(tried, count, exact)
	if err != nil {
		return nil, err
	}
	all.Shorten(lost <= t.mostOf(allowed, len(exact.Rows)))
	return &Chosen{all.Take(count), all}, nil
}
