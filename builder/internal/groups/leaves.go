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
	backwards bool                  // the rows were last read from the end
	held      *held                 // the memory of batches; nil: none

	mostRows, mostRecords int // of a batch in memory
}

// Free gives the memory back.
func (l *Leaves) Free() {
	l.assigned.Free()
	l.letGo()
}

// GroupRows is how many rows a group of so many bytes may have; of rows that are very
// long at least some leaves.
func GroupRows(groupBytes, rowBytes int64) int64 {
	return min(max(1024, groupBytes/max(1, rowBytes)), math.MaxInt32)
}

// A Batch is consecutive groups whose rows are read in one pass over all rows.
type Batch struct {
	From, To int
	inMemory bool // where there still is room
}

// Batches cuts the groups into batches: of at most so many bytes on disk, or of one group; or in memory where that
// goes through the disk less. A batch in memory has each row once, and is all that can be read
// from the rows in one go.
func (l *Leaves) Batches(disk, memory int64) (batches []Batch) {
	batches = l.onDisk(disk)
	records := int64(l.records(l.all()))
	held, ok := l.evenly(memory)
	if all := int64(l.Rows.Len()) * int64(rowSize(l.Rows)); ok && int64(len(held))*all <= int64(len(batches))*all+2*records*int64(l.record()) {
		l.mostRows, l.mostRecords = 0, 0
		for _, b := range held {
			l.mostRows, l.mostRecords = max(l.mostRows, l.once(b)), max(l.mostRecords, l.records(b))
		}
		return held
	}
	return batches
}

// onDisk are batches on disk.
func (l *Leaves) onDisk(bytes int64) (batches []Batch) {
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

// evenly are as few batches in memory as so many bytes allow, of no more bytes than as few need: the system's cache
// has the rest.
func (l *Leaves) evenly(bytes int64) (batches []Batch, ok bool) {
	batches, ok = l.inMemory(bytes)
	for less := min(bytes, l.heldBytes(l.Rows.Len(), l.Overlap*l.Rows.Len())); ok; less -= less/32 + 1 {
		fewer, can := l.inMemory(less)
		if !can || len(fewer) > len(batches) {
			break
		}
		batches = fewer
	}
	return batches, ok
}

// inMemory are batches of whole blocks in memory; it is not ok where a block alone has more bytes.
func (l *Leaves) inMemory(bytes int64) (batches []Batch, ok bool) {
	b := Batch{inMemory: true}
	per, rows, records := l.stretches[0].meets.per, 0, 0
	for from := 0; from < l.Groups(); from += per {
		to := min(from+per, l.Groups())
		more, recorded := l.meet(b.From, from), l.records(Batch{From: from, To: to})
		if b.To > b.From && l.heldBytes(rows+more, records+recorded) > bytes {
			batches = append(batches, b)
			b.From, rows, records, more = from, 0, 0, l.meet(from, from)
		}
		b.To, rows, records = to, rows+more, records+recorded
		if l.heldBytes(rows, records) > bytes {
			return nil, false
		}
	}
	return append(batches, b), true
}

// meet is how many rows the block of groups from from on has beside those of the blocks from first on.
func (l *Leaves) meet(first, from int) (rows int) {
	for i := range l.stretches {
		m := &l.stretches[i].meets
		rows += m.meet(first/m.per, from/m.per)
	}
	return rows
}

// once is how many rows stand in a batch of whole blocks.
func (l *Leaves) once(b Batch) (rows int) {
	for i := range l.stretches {
		rows += l.stretches[i].once(b)
	}
	return rows
}

// records is in how many groups of a batch they stand.
func (l *Leaves) records(b Batch) (records int) {
	for _, rows := range l.groupRows[b.From:b.To] {
		records += rows
	}
	return records
}

// record is the bytes of a row in a spill.
func (l *Leaves) record() int { return RecordBytes(l.Overlap, rowSize(l.Rows)) }
