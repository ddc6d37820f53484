package builder

import "github.com/knng/knng/vectors"

// kept is an input without its dropped rows: row i is row rows[i] of the input.
type kept struct {
	vectors.Source
	rows []uint32
}

func (s *kept) Len() int { return len(s.rows) }

// ReadRows reads each run of consecutive input rows in one go.
func (s *kept) ReadRows(first int, dst []byte) error {
	size := s.Dim() * s.Type().Size()
	for len(dst) > 0 {
		n := consecutive(s.rows[first:], len(dst)/size)
		if err := s.Source.ReadRows(int(s.rows[first]), dst[:n*size]); err != nil {
			return err
		}
		first, dst = first+n, dst[n*size:]
	}
	return nil
}
