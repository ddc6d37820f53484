package parts

import (
	"github.com/knng/knng/builder/internal/build"
	"github.com/knng/knng/builder/internal/job"
	"github.com/knng/knng/builder/internal/offheap"
	"github.com/knng/knng/builder/internal/solve"
	"github.com/knng/knng/builder/progress"
	"github.com/knng/knng/store/analysis"
)

// Release frees the memory that only divisions need.
func (m *Method) Release() {
	m.cells.free()
	m.releaseGroups()
}

// releaseGroups frees the memory of groups, so that folds and the last pass can use it. When folds kept it,
// 20 million rows took 388 MiB at the peak.
func (m *Method) releaseGroups() {
	m.group.Free()
	m.Ascending = nil
}

// Write merges all units, stripe after stripe, and commits them as the adjacency of so many rows.
func (m *Method) Write(rows int, wanted []uint32) (*build.Written, error) {
	m.Ledger.Limit = m.opts.Memory.Writing()
	parted, err := offheap.Take[uint32](&m.Ledger, m.N())
	if err != nil {
		return nil, err
	}
	defer parted.Free()
	f := &last{Method: m, rows: rows, parted: analysis.PartitionIn(parted.Slice), wanted: map[uint32]solve.List{}}
	for _, place := range wanted {
		f.wanted[place] = solve.List{}
	}
	if err := f.write(); err != nil {
		return nil, err
	}
	f.written.Components = f.parted.Len()
	f.written.List = func(place uint32) ([]uint32, []float32) { return f.wanted[place].IDs, f.wanted[place].Keys }
	return &f.written, nil
}

// last is the last pass over the lists.
type last struct {
	*Method
	rows    int      // of the output
	named   []uint32 // of the current list
	parted  *analysis.Partition
	wanted  map[uint32]solve.List // lists of the reporting rows
	written build.Written
}

// write commits the adjacency. If that was done before an interruption, it only reads the lists.
func (f *last) write() error {
	_, done, err := f.Draft.Adjacency()
	if err != nil {
		return err
	}
	p := f.Begin("adjacency", "rows", int64(f.N()))
	defer p.End("")
	if done {
		return f.each(p, func([]uint32, []float32) error { return nil })
	}
	return f.Draft.CommitAdjacency(f.K, func(add func([]uint32, []float32) error) error { return f.each(p, add) })
}

// each calls add for every row of the output in order, including isolated ones.
func (f *last) each(p *progress.Phase, add func(rows []uint32, keys []float32) error) error {
	row := 0
	isolated := func(to int) error {
		for ; row < to; row++ {
			if err := add(nil, nil); err != nil {
				return err
			}
		}
		return nil
	}
	err := f.EachStripe(func(s *solve.Stripe) error {
		if err := f.complete(s); err != nil {
			return err
		}
		united := job.Async(func() error { return f.unite(s) })
		defer united()
		for place := s.From; place < s.To; place++ {
			if err := isolated(int(f.Order[place])); err != nil {
				return err
			}
			ids, keys := s.List(place)
			rows := f.rowsOf(ids)
			if _, ok := f.wanted[uint32(place)]; ok {
				f.wanted[uint32(place)] = s.Copy(place)
			}
			if err := add(rows, keys); err != nil {
				return err
			}
			row++
		}
		p.Add(s.To - s.From)
		return united()
	})
	if err != nil {
		return err
	}
	return isolated(f.rows)
}

// unite adds the lists of a stripe as edges of components, while they are written, because each neighbor
// waits for memory.
func (f *last) unite(s *solve.Stripe) error {
	for place := s.From; place < s.To; place++ {
		ids, _ := s.List(place)
		f.parted.UniteAll(uint32(place), ids)
	}
	return nil
}

// rowsOf returns the rows of places, valid until the next call. If all rows have places, the numbers are the
// same, and no memory is read.
func (f *last) rowsOf(places []uint32) []uint32 {
	if f.rows == f.N() {
		return places
	}
	f.named = f.named[:0]
	for _, place := range places {
		f.named = append(f.named, f.Order[place])
	}
	return f.named
}

// complete fills lists that the divisions left short: it compares their rows with all others.
func (f *last) complete(s *solve.Stripe) error {
	var short []uint32
	for place := s.From; place < s.To; place++ {
		if ids, _ := s.List(place); len(ids) < f.K {
			short = append(short, uint32(place))
		}
	}
	if len(short) == 0 {
		return nil
	}
	p := f.Begin("complete", "pairs", int64(len(short))*int64(f.N()-1))
	truth, compared, err := f.ExactInOrder(f.Ctx, short, p.Add)
	p.End("")
	if err != nil {
		return err
	}
	for i, place := range short {
		ids, keys := truth.List(i)
		s.Lists.Set(place-uint32(s.From), ids, keys)
	}
	f.written.Completed += len(short)
	f.written.Counts.Add(job.Counts{Requested: compared, Evaluated: compared})
	return nil
}
