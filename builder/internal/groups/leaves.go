package groups

import (
	"math"

	"github.com/knng/knng/builder/internal/offheap"
)

// Leaves is a division: the leaves of every row.
type Leaves struct {
	Division
	*Layout
	assigned  offheap.Block[uint32] // Overlap leaders per row, nearest first
	groupRows []int                 // rows of every group
	stretches []stretch             // of all rows, in order
	backwards bool                  // the rows were last read from the end
	held      *held                 // the memory of batches; nil: none

	mostRows, mostRecords int // of a batch in memory
}

// Free frees the memory.
func (l *Leaves) Free() {
	l.assigned.Free()
	l.letGo()
}

// GroupRows returns the most rows of a group of groupBytes, but at least 1,024, so that very long rows have
// some leaves too.
func GroupRows(groupBytes, rowBytes int64) int64 {
	return min(max(1024, groupBytes/max(1, rowBytes)), math.MaxInt32)
}

// A Batch is consecutive groups whose rows are read in one pass over all rows.
type Batch struct {
	From, To int
	inMemory bool // if there still is memory
}

// Batches cuts the groups into batches: of at most disk bytes, or one group; or in memory, if that moves
// fewer bytes to and from disk. A batch in memory has each row once; its size is limited by memory.
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

// onDisk returns batches on disk.
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

// evenly returns as few batches in memory as bytes allow, and makes the largest as small as that number
// allows: the system's cache gets the rest.
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

// inMemory returns batches of whole blocks in memory; ok is false if one block takes more than bytes.
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

// meet returns the number of rows that are in the block of groups at from, but not in the blocks from first
// up to it.
func (l *Leaves) meet(first, from int) (rows int) {
	for i := range l.stretches {
		m := &l.stretches[i].meets
		rows += m.meet(first/m.per, from/m.per)
	}
	return rows
}

// once returns the number of rows in a batch of whole blocks.
func (l *Leaves) once(b Batch) (rows int) {
	for i := range l.stretches {
		rows += l.stretches[i].once(b)
	}
	return rows
}

// records returns the number of records of a batch: one for each row and group of the row.
func (l *Leaves) records(b Batch) (records int) {
	for _, rows := range l.groupRows[b.From:b.To] {
		records += rows
	}
	return records
}

// record returns the size of a record in a spill.
func (l *Leaves) record() int { return RecordBytes(l.Overlap, rowSize(l.Rows)) }
