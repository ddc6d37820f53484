package audit

import (
	"sort"

	"github.com/knng/knng/vectors"
)

// Without is an input without its dropped rows, which ascend.
type Without struct {
	vectors.Source
	Dropped []uint32
}

func (s *Without) Len() int { return s.Source.Len() - len(s.Dropped) }

// ReadRows reads each run of consecutive input rows in one go.
func (s *Without) ReadRows(first int, dst []byte) error {
	size := s.Dim() * s.Type().Size()
	before := sort.Search(len(s.Dropped), func(i int) bool { return int(s.Dropped[i])-i > first })
	for len(dst) > 0 {
		row, n := first+before, len(dst)/size
		if before < len(s.Dropped) {
			n = min(n, int(s.Dropped[before])-row)
		}
		if n == 0 { // the row is a dropped one
			before++
			continue
		}
		if err := s.Source.ReadRows(row, dst[:n*size]); err != nil {
			return err
		}
		first, dst = first+n, dst[n*size:]
	}
	return nil
}
