package groups

import (
	"math"

	"github.com/knng/knng/builder/internal/offheap"
)

// Leaves is a division: which leaves every row stands in.
type Leaves struct {
	Division
	*Layout
	assigned  offheap.Block[uint32] // Overlap a row: leaders, nearest first
	groupRows []int                 // rows of every group
	stretches []stretch             // of all rows, side by side
}

// Free gives the memory back.
func (l *Leaves) Free() { l.assigned.Free() }

// GroupRows is the rows of a group.
func (l *Leaves) GroupRows(g int) int { return l.groupRows[g] }

// GroupRows is how many rows a group of so many bytes may have; of rows that are very
// long at least some leaves.
func GroupRows(groupBytes, rowBytes int64) int64 {
	return min(max(1024, groupBytes/max(1, rowBytes)), math.MaxInt32)
}

// A Batch is consecutive groups that are on disk together.
type Batch struct{ From, To int }

// Batches cuts the groups into batches of at most so many bytes, or of one group.
func (l *Leaves) Batches(bytes int64) (batches []Batch) {
	var b Batch
	var sum int64
	for g, rows := range l.groupRows {
		size := int64(rows) * int64(l.record())
		if sum > 0 && sum+size > bytes {
			batches = append(batches, b)
			b, sum = Batch{From: g}, 0
		}
		b.To, sum = g+1, sum+size
	}
	return append(batches, b)
}

// record is the bytes of a row in a spill.
func (l *Leaves) record() int { return RecordBytes(l.Overlap, rowSize(l.Rows)) }
