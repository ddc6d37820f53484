package division

import (
	"cmp"
	"math"
	"slices"
	"unsafe"

	"github.com/knng/knng/builder/internal/hashrand"
	"github.com/knng/knng/vectors"
	"github.com/knng/knng/vectors/distance"
)

// scratch is the memory of one goroutine for finding directions and projecting on them.
type scratch struct {
	t       *Tree
	ids     []uint32
	out     []float64
	row     []float32
	rows    []float32 // Sample x Dim, centred
	columns []float32 // Dim x Sample, its transpose
	mean    []float64
	dir     []float32
	picks   []entry
	byRow   *distance.Space // products with rows of rows
	byCol   *distance.Space // products with rows of columns
	lanczos lanczos
}

// dotRows is how many rows one kernel call projects: enough to hide the call,
// few enough for the ids and results to stay in L1.
const dotRows = 512

func newScratch(t *Tree) *scratch {
	s := &scratch{
		t:   t,
		ids: make([]uint32, max(dotRows, t.Dim, t.Sample)), out: make([]float64, max(dotRows, t.Dim, t.Sample)),
		row: make([]float32, t.Dim), mean: make([]float64, t.Dim), dir: make([]float32, t.Dim),
	}
	if t.Random {
		return s
	}
	s.rows = make([]float32, t.Sample*t.Dim)
	s.columns = make([]float32, t.Sample*t.Dim)
	s.byRow = innerProducts(t.Dim)
	s.byCol = innerProducts(t.Sample)
	s.lanczos.init(t.Sample)
	return s
}

// innerProducts is the space of float32 rows in which Dot is wanted. The
// dimensions were checked when the tree's own space was made.
func innerProducts(dim int) *distance.Space {
	space, err := distance.New(distance.IP, vectors.Float32, dim)
	if err != nil {
		panic("division: " + err.Error())
	}
	return space
}

// dots sets the projection of every entry on dir.
func (s *scratch) dots(dir []float32, entries []entry) {
	t := s.t
	for part := range slices.Chunk(entries, dotRows) {
		ids, out := s.ids[:len(part)], s.out[:len(part)]
		for i := range part {
			ids[i] = part[i].place
		}
		t.Space.Dot(dir, t.Base, t.Stride, ids, out)
		for i := range part {
			if t.Norms != nil {
				out[i] /= t.Norms[ids[i]]
			}
			part[i].proj = float32(out[i])
		}
	}
}

// randomDirection draws every component from a sum of four uniforms: near
// enough to a Gaussian, and the same bits everywhere.
func (s *scratch) randomDirection(key uint64) []float32 {
	for i := range s.dir {
		var sum float64
		for j := range 4 {
			sum += uniform(key, uint64(4*i+j))
		}
		s.dir[i] = float32(sum)
	}
	return s.dir
}

// uniform is a number in [-1, 1) named by key and i.
func uniform(key, i uint64) float64 {
	return float64(int64(hashrand.Mix(key+i*0xd1342543de82ef95)>>11))/(1<<52) - 1
}

// principalDirection returns the direction of largest variance of the node's
// sample. All-equal samples give the zero direction: the hash then splits.
func (s *scratch) principalDirection(entries []entry, key uint64) []float32 {
	s.sample(entries)
	s.centre()
	u := s.lanczos.top(key, s.apply)
	s.columnProducts(u)
	var norm float64
	for _, x := range s.out[:s.t.Dim] {
		norm += float64(x * x)
	}
	if norm > 0 {
		norm = 1 / math.Sqrt(norm)
	}
	for i, x := range s.out[:s.t.Dim] {
		s.dir[i] = float32(x * norm)
	}
	return s.dir
}

// sample picks the rows of smallest (hash, row): a random subset that does not
// depend on the order in which the entries stand.
func (s *scratch) sample(entries []entry) {
	want := min(s.t.Sample, len(entries))
	// Twice the share wanted is nearly always enough for one pass; where it is
	// not, everything is.
	bound := uint64(math.MaxUint32)
	if share := 2 * float64(want+32) / float64(len(entries)); share < 1 {
		bound = uint64(share * (1 << 32))
	}
	s.picks = pick(s.picks[:0], entries, bound)
	if len(s.picks) < want {
		s.picks = pick(s.picks[:0], entries, math.MaxUint32)
	}
	slices.SortFunc(s.picks, func(a, b entry) int {
		return cmp.Or(cmp.Compare(a.hash, b.hash), cmp.Compare(a.row, b.row))
	})
	s.picks = s.picks[:want]
}

func pick(dst, entries []entry, bound uint64) []entry {
	for i := range entries {
		if uint64(entries[i].hash) <= bound {
			dst = append(dst, entries[i])
		}
	}
	return dst
}

// centre loads the sampled rows, subtracts their mean, and keeps them by row
// and by column. Rows that the sample lacks are zero and change nothing.
func (s *scratch) centre() {
	t := s.t
	clear(s.rows)
	clear(s.mean)
	size := len(s.row)
	for i, e := range s.picks {
		dst := s.rows[i*size : (i+1)*size]
		t.Space.Centered(t.Base[int(e.place)*t.Stride:], dst)
		if t.Norms != nil {
			for j := range dst {
				dst[j] = float32(float64(dst[j]) / t.Norms[e.place])
			}
		}
		for j, x := range dst {
			s.mean[j] += float64(x)
		}
	}
	count := float64(len(s.picks))
	for j := range s.mean {
		s.mean[j] /= count
	}
	for i := range s.picks {
		for j := range size {
			x := float32(float64(s.rows[i*size+j]) - s.mean[j])
			s.rows[i*size+j] = x
			s.columns[j*t.Sample+i] = x
		}
	}
	for i := len(s.picks); i < t.Sample; i++ {
		for j := range size {
			s.columns[j*t.Sample+i] = 0
		}
	}
}

// columnProducts sets out[:Dim] to (rows transposed) * u.
func (s *scratch) columnProducts(u []float32) {
	s.byCol.Dot(u, bytesOf(s.columns), 4*s.t.Sample, s.counting(s.t.Dim), s.out[:s.t.Dim])
}

// apply sets w to rows * (rows transposed) * u: the covariance of the sample
// seen from the side of the rows, which is the shorter one.
func (s *scratch) apply(u []float32, w []float64) {
	s.columnProducts(u)
	for i, x := range s.out[:s.t.Dim] {
		s.row[i] = float32(x)
	}
	s.byRow.Dot(s.row, bytesOf(s.rows), 4*s.t.Dim, s.counting(s.t.Sample), w)
}

// counting returns 0, 1, ..., n-1.
func (s *scratch) counting(n int) []uint32 {
	for i := range n {
		s.ids[i] = uint32(i)
	}
	return s.ids[:n]
}

// bytesOf views float32 as the raw rows that kernels read.
func bytesOf(x []float32) []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(x))), 4*len(x))
}
