package builder

import (
	"math"

	"github.com/knng/knng/builder/candidates"
)

// intrinsic estimates the intrinsic dimension of some rows from the distances of their
// codes (Levina, Bickel 2005, "Maximum likelihood estimation of intrinsic dimension"),
// with the mean taken of inverses (MacKay, Ghahramani). 0 where there are no codes.
func (g *run) intrinsic() float64 {
	n := g.rows.Len()
	if g.codes == nil || n < 2*intrinsicK {
		return 0
	}
	g.found = candidates.New(n, intrinsicK, 1)
	g.leafOfCodes()(g.numbers(n))
	sum, count := 0.0, 0
	for p := range uint32(n) {
		m := g.found.Len(p)
		if m < 2 {
			continue
		}
		far := float64(g.found.At(p, m-1).Distance())
		var logs float64
		used := 0
		for i := range m - 1 {
			if d := float64(g.found.At(p, i).Distance()); d > 0 && far > 0 {
				logs += math.Log(far/d) / 2 // squared
				used++
			}
		}
		if used > 0 {
			sum += logs / float64(used)
			count++
		}
	}
	g.found.Free()
	g.found = nil
	if count == 0 || sum == 0 {
		return 0
	}
	return float64(count) / sum
}

// intrinsicK is how many neighbors in the sample the dimension is estimated from.
const intrinsicK = 20
