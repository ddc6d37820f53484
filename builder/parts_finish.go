package builder

import (
	"github.com/knng/knng/builder/internal/job"
	"github.com/knng/knng/builder/pages"
	"github.com/knng/knng/store/analysis"
)

// finishParts unites all units, stripe after stripe, writes the adjacency and
// measures. No more lists than those of a few stripes are in memory at a time.
func (m *partsMethod) finishParts() (*Result, error) {
	result := m.report()
	m.dropGroups()
	truth, err := m.reportTruth(result)
	if err != nil {
		return nil, err
	}
	m.Ledger.Limit = m.lastRoom()
	parted, err := pages.Take[uint32](&m.Ledger, m.N())
	if err != nil {
		return nil, err
	}
	defer parted.Free()
	f := &partsFinish{partsMethod: m, parted: analysis.PartitionIn(parted.Slice), wanted: map[uint32]list{}}
	for _, place := range truth.Places {
		f.wanted[place] = list{}
	}
	if err := f.write(); err != nil {
		return nil, err
	}
	result.Completed = f.completed
	result.RequestedPairs += m.completing.Requested
	result.Comparisons += m.completing.Evaluated
	result.ScanRate = scanRate(result.Comparisons, m.N())
	result.Components = f.parted.Len()
	m.tellRecall(result, truth, func(place uint32) ([]uint32, []float32) {
		return f.wanted[place].ids, f.wanted[place].keys
	})
	p := m.Begin("checksum", "", 0)
	result.Checksum, err = m.Draft.Checksum(m.Ctx)
	p.End("")
	if err != nil {
		return nil, err
	}
	return result, m.seal(result)
}

// dropGroups lets go of the memory that only divisions need, so that folds and the last pass have
// its memory. 20 million rows took 388 MiB at the peak, in folds that kept it.
func (m *partsMethod) dropGroups() {
	m.group.Free()
	m.Ascending = nil
}

// partsFinish is the last pass over the lists.
type partsFinish struct {
	*partsMethod
	parted    *analysis.Partition
	wanted    map[uint32]list // of the rows that report recall
	completed int
}

// write commits the adjacency; where that was done before an interruption, it only
// looks at the lists.
func (f *partsFinish) write() error {
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

// each calls add for every row of the output in order, isolated ones included.
func (f *partsFinish) each(p *phase, add func(rows []uint32, keys []float32) error) error {
	row := 0
	isolated := func(to int) error {
		for ; row < to; row++ {
			if err := add(nil, nil); err != nil {
				return err
			}
		}
		return nil
	}
	var rows []uint32
	err := f.eachStripe(func(s *stripe) error {
		if err := f.complete(s); err != nil {
			return err
		}
		for place := s.from; place < s.to; place++ {
			if err := isolated(int(f.Order[place])); err != nil {
				return err
			}
			ids, keys := s.list(place)
			rows = rows[:0]
			f.parted.UniteAll(uint32(place), ids)
			for _, id := range ids {
				rows = append(rows, f.Order[id])
			}
			if _, ok := f.wanted[uint32(place)]; ok {
				f.wanted[uint32(place)] = s.copyOf(place)
			}
			if err := add(rows, keys); err != nil {
				return err
			}
			row++
		}
		p.Add(s.to - s.from)
		return nil
	})
	if err != nil {
		return err
	}
	return isolated(f.outputRows())
}

// complete fills lists that the divisions left short by comparing their rows
// with all others.
func (f *partsFinish) complete(s *stripe) error {
	var short []uint32
	for place := s.from; place < s.to; place++ {
		if ids, _ := s.list(place); len(ids) < f.K {
			short = append(short, uint32(place))
		}
	}
	if len(short) == 0 {
		return nil
	}
	p := f.Begin("complete", "pairs", int64(len(short))*int64(f.N()-1))
	truth, compared, err := f.truth(short, p)
	p.End("")
	if err != nil {
		return err
	}
	for i, place := range short {
		ids, keys := truth.List(i)
		s.lists.Set(place-uint32(s.from), ids, keys)
	}
	f.completed += len(short)
	f.completing.Add(job.Counts{Requested: compared, Evaluated: compared})
	return nil
}
