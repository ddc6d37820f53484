package distance

import (
	"encoding/binary"
	"math"
	"math/bits"
	"sync"

	"github.com/knng/knng/vectors"
)

// Metrics without a kernel of their own, or without one for the type of the rows: Go computes
// their keys pair by pair, some five to ten times slower than kernels do. The definitions are those of the package comment.

// lanes are the float64 sums of the package comment.
type lanes [16]float64

func (l *lanes) sum() float64 {
	for w := 8; w >= 1; w /= 2 {
		for j := range w {
			l[j] += l[j+w]
		}
	}
	return l[0]
}

func sumOfDifferences(x, y []float32) float32 {
	var l lanes
	for len(x) >= len(l) {
		a, b := (*[16]float32)(x), (*[16]float32)(y)
		for j := range l {
			l[j] += math.Abs(float64(a[j] - b[j]))
		}
		x, y = x[len(l):], y[len(l):]
	}
	for j := range x {
		l[j&15] += math.Abs(float64(x[j] - y[j]))
	}
	return float32(l.sum())
}

func largestDifference(x, y []float32) float32 {
	var largest float32
	y = y[:len(x)]
	for i, v := range x {
		largest = max(largest, float32(math.Abs(float64(v-y[i]))))
	}
	return largest
}

func mean(x []float32) float64 {
	n := float64(len(x))
	var l lanes
	for len(x) >= len(l) {
		a := (*[16]float32)(x)
		for j := range l {
			l[j] += float64(a[j])
		}
		x = x[len(l):]
	}
	for j, v := range x {
		l[j&15] += float64(v)
	}
	return l.sum() / n
}

func differingBits(x, y []byte) float32 {
	count := 0
	for len(x) >= 8 {
		count += bits.OnesCount64(binary.LittleEndian.Uint64(x) ^ binary.LittleEndian.Uint64(y))
		x, y = x[8:], y[8:]
	}
	for i, v := range x {
		count += bits.OnesCount8(v ^ y[i])
	}
	return float32(count)
}

func jaccard(x, y []byte) float32 {
	both, either := 0, 0
	for len(x) >= 8 {
		a, b := binary.LittleEndian.Uint64(x), binary.LittleEndian.Uint64(y)
		both += bits.OnesCount64(a & b)
		either += bits.OnesCount64(a | b)
		x, y = x[8:], y[8:]
	}
	for i, v := range x {
		both += bits.OnesCount8(v & y[i])
		either += bits.OnesCount8(v | y[i])
	}
	return share(either-both, either)
}

// share is the key of sets under jaccard.
func share(apart, either int) float32 {
	if either == 0 {
		return 0
	}
	return float32(float64(apart) / float64(either))
}

// counts are the bits that rows have in common. They are pooled, since arguments of a function
// value escape to the heap.
var counts = sync.Pool{New: func() any { return new([chunk]uint32) }}

// sharesOf sets out to the keys of rows by how many of their bits differ, in the same memory.
func (s *Space) sharesOf(x, base []byte, stride int, ids, differ []uint32, out []float32) {
	both := counts.Get().(*[chunk]uint32)
	for len(ids) > 0 {
		n := min(len(ids), chunk)
		s.kernel.Both(x, base, stride, s.dim, ids[:n], both[:n])
		for j, apart := range differ[:n] {
			out[j] = share(int(apart), int(apart+both[j]))
		}
		ids, differ, out = ids[n:], differ[n:], out[n:]
	}
	counts.Put(both)
}

// widenRows and widenElements limit how many rows are widened before a kernel compares them: so many
// rows and, if there is more than one, so many elements.
const widenRows, widenElements = 16, 1 << 14

// widened is room for a row as float32, and for others to compare it with.
type widened struct {
	x, y []float32
	sums [widenRows]float64
}

var widenedRows = sync.Pool{New: func() any { return new(widened) }}

// inTurn numbers rows that follow each other.
var inTurn = func() (numbers [widenRows]uint32) {
	for i := range numbers {
		numbers[i] = uint32(i)
	}
	return numbers
}()

// widen decodes a row into room.
func (s *Space) widen(room *[]float32, row []byte) []float32 {
	if cap(*room) < s.dim {
		*room = make([]float32, s.dim)
	}
	x := (*room)[:s.dim]
	vectors.Decode(s.typ, row[:s.dim*s.typ.Size()], x)
	return x
}

// pairwise is Keys of a metric without a kernel.
func (s *Space) pairwise(x, base []byte, stride int, ids []uint32, out []float32) {
	p := s.metric.of()
	if p.sets != nil {
		for j, id := range ids {
			out[j] = p.sets(x, base[int(id)*stride:][:len(x)])
		}
		return
	}
	room := widenedRows.Get().(*widened)
	a := s.widen(&room.x, x)
	if s.wide != nil {
		s.widely(room, a, base, stride, ids, out)
		widenedRows.Put(room)
		return
	}
	for j, id := range ids {
		out[j] = p.pair(a, s.widen(&room.y, base[int(id)*stride:]))
	}
	widenedRows.Put(room)
}

// widely is pairwise by a kernel of float32 rows.
func (s *Space) widely(room *widened, x []float32, base []byte, stride int, ids []uint32, out []float32) {
	atOnce := max(1, min(widenRows, widenElements/s.dim))
	if cap(room.y) < atOnce*s.dim {
		room.y = make([]float32, atOnce*s.dim)
	}
	y := room.y[:atOnce*s.dim]
	for len(ids) > 0 {
		n := min(len(ids), atOnce)
		for j, id := range ids[:n] {
			vectors.Decode(s.typ, base[int(id)*stride:][:s.RowBytes()], y[j*s.dim:(j+1)*s.dim])
		}
		s.wide(bytesOf(x), bytesOf(y), 4*s.dim, s.dim, inTurn[:n], room.sums[:n])
		for j, sum := range room.sums[:n] {
			out[j] = float32(sum)
		}
		ids, out = ids[n:], out[n:]
	}
}
