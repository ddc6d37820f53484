package groups

import (
	"context"
	"slices"

	"github.com/knng/knng/vectors"
)

// A stretch is a range of consecutive rows. One goroutine counts them and writes them to spills, at the same
// time as others do other stretches: with one goroutine, writing 100,000,000 rows of 128 bytes took a quarter
// of a division.
type stretch struct {
	from, to int
	met      []uint32 // rows of every leader before the stretch
	rows     []int    // rows of every group in the stretch
	meets    meetings // rows by blocks of groups
}

// mostStretches limits the memory of the stretches' counts of leaders. More goroutines would wait for the
// disk.
const mostStretches = 4

// group cuts leaves, forms groups of consecutive leaves that fit GroupBytes, and counts the rows of groups.
func (l *Leaves) group(ctx context.Context) error {
	l.stretches = make([]stretch, max(1, min(l.Threads, mostStretches, l.Rows.Len())))
	n := l.Rows.Len()
	for i := range l.stretches {
		l.stretches[i] = stretch{from: i * n / len(l.stretches), to: (i + 1) * n / len(l.stretches), met: make([]uint32, l.Leaders)}
	}
	err := l.eachStretch(func(s *stretch) error {
		for _, leader := range l.leadersOf(s) {
			s.met[leader]++
		}
		return ctx.Err()
	})
	if err != nil {
		return err
	}
	sizes := make([]uint32, l.Leaders)
	for _, s := range l.stretches {
		for leader, rows := range s.met {
			s.met[leader], sizes[leader] = sizes[leader], sizes[leader]+rows
		}
	}
	l.Layout = NewLayout(sizes, GroupRows(l.GroupBytes, l.RowBytes))
	err = l.eachStretch(func(s *stretch) error {
		l.countGroups(s)
		return ctx.Err()
	})
	l.groupRows = make([]int, l.Groups())
	for _, s := range l.stretches {
		for g, rows := range s.rows {
			l.groupRows[g] += rows
		}
	}
	return err
}

// eachStretch calls fn for all stretches in parallel.
func (l *Leaves) eachStretch(fn func(s *stretch) error) error {
	return vectors.Ranges(len(l.stretches), len(l.stretches), 1, func() func(from, to int) error {
		return func(i, _ int) error { return fn(&l.stretches[i]) }
	})
}

// leadersAt returns the leaders of a row.
func (l *Leaves) leadersAt(place int) []uint32 {
	return l.assigned.Slice[place*l.Overlap : (place+1)*l.Overlap]
}

// leadersOf returns the leaders of the rows of a stretch.
func (l *Leaves) leadersOf(s *stretch) []uint32 {
	return l.assigned.Slice[s.from*l.Overlap : s.to*l.Overlap]
}

// members returns a Members for the rows of a stretch, limited to the groups of a batch.
func (l *Leaves) members(s *stretch, of Batch) *Members {
	return l.membersIn(of, slices.Clone(s.met))
}

// membersIn is members for the rows after which met counts.
func (l *Leaves) membersIn(of Batch, met []uint32) *Members {
	m := l.Layout.Members(l.Overlap, met)
	m.only(of)
	return m
}

// membersBehind is members for reading backwards from the end of stretch i.
func (l *Leaves) membersBehind(i int, of Batch) *Members {
	if i+1 < len(l.stretches) {
		return l.members(&l.stretches[i+1], of)
	}
	met := make([]uint32, len(l.cuts))
	for leader, c := range l.cuts {
		met[leader] = c.rows
	}
	return l.membersIn(of, met)
}

// all returns a batch of all groups.
func (l *Leaves) all() Batch { return Batch{To: l.Groups()} }
