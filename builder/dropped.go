package builder

import (
	"sort"

	"github.com/knng/knng/vectors"
)

// withoutDropped is an input without its dropped rows, which ascend.
type withoutDropped struct {
	vectors.Source
	dropped []uint32
}

func (s *withoutDropped) Len() int { return s.Source.Len() - len(s.dropped) }

// ReadRows reads each run of consecutive input rows in one go.
func (s *withoutDropped) ReadRows(first int, dst []byte) error {
	size := s.Dim() * s.Type().Size()
	before := sort.Search(len(s.dropped), func(i int) bool { return int(s.dropped[i])-i > first })
	for len(dst) > 0 {
		row, n := first+before, len(dst)/size
		if before < len(s.dropped) {
			n = min(n, int(s.dropped[before])-row)
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
