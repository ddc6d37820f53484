package balls

import (
	"fmt"
	"math"
	"time"

	"github.com/knng/knng/builder/internal/build"
	"github.com/knng/knng/builder/internal/candidates"
	"github.com/knng/knng/builder/internal/fixed"
	"github.com/knng/knng/builder/internal/job"
	"github.com/knng/knng/builder/progress"
	"github.com/knng/knng/store"
)

// saved keeps the lists on disk.
//
// The balls method writes its lists now and then while it runs, not the gain of each unit of work as the
// paper's method does. Writing takes a fraction of a second per million rows, a stage takes some seconds, and
// a kill loses the stages since the last writing.
type saved struct {
	m    *Method
	when time.Time // the lists on disk were last equal to those in memory
}

// KeepEvery returns the time between two writings, given the rows and entries of the lists; a variable for
// tests.
var KeepEvery = fixed.FoldEvery

// keep writes the lists after a stage if it is time.
func (s *saved) keep() error {
	m := s.m
	if time.Since(s.when) < KeepEvery(m.N(), m.found.K) {
		return nil
	}
	if err := m.RoomForFold(m.N(), m.found.K); err != nil {
		return err
	}
	// A crash may have left the state of the last fold unrecorded. Then it is where this fold's state goes.
	if err := m.Save(); err != nil {
		return err
	}
	if err := m.Draft.Record(job.AheadRecord, &m.State); err != nil {
		return err
	}
	if err := s.fold(); err != nil {
		return err
	}
	m.Unsaved, s.when = 0, time.Now()
	return m.Save()
}

// fold writes the lists as the fold of the stages so far: the low half of an entry as the neighbor, the high
// half as the bits of a key.
func (s *saved) fold() error {
	m := s.m
	return m.FoldLists(uint32(len(m.State.Stages)), m.N(), func(from, to int, l *store.Lists) {
		for place := uint32(from); place < uint32(to); place++ {
			l.Append(place, nil, nil)
			for i := range m.found.Len(place) {
				e := m.found.At(place, i)
				l.Add(uint32(e), math.Float32frombits(e.Distance()))
			}
		}
	})
}

// load loads the lists.
func (s *saved) load() (err error) {
	m := s.m
	p := m.Begin("load", "rows", int64(m.N()))
	defer p.End("")
	if m.Codes == nil {
		if m.Codes, err = m.RoundedRows(m.Rows); err != nil {
			return err
		}
	}
	s.when = time.Now()
	m.found = candidates.New(m.N(), m.candidatesK(), m.Job.Threads)
	folded, ok, err := m.Draft.Folded()
	if err != nil || !ok {
		m.State.Stages, m.State.Stop = nil, ""
		return err
	}
	if m.State.Plan.Marks != candidates.Marks { // a version with other entries began the build
		m.State.Stages, m.State.Stop, m.State.Plan.Marks = nil, "", candidates.Marks
		return nil
	}
	if int(folded) != len(m.State.Stages) {
		return fmt.Errorf("%w: lists of %d stages, the build records %d", store.ErrCorrupt, folded, len(m.State.Stages))
	}
	return m.Draft.ReadFolded(func(l *store.Lists) error { return s.set(l, p) })
}

// set reads a batch of a fold, which may be damaged.
func (s *saved) set(l *store.Lists, p *progress.Phase) error {
	m := s.m
	var entries []candidates.Entry
	for i, place := range l.Rows {
		entries = entries[:0]
		for j := l.Starts[i]; j < l.Starts[i+1]; j++ {
			e := candidates.Entry(math.Float32bits(l.Keys[j]))<<32 | candidates.Entry(l.Neighbors[j])
			if int(e.Place()) >= m.N() {
				return job.ErrPosition(e.Place(), m.N())
			}
			entries = append(entries, e)
		}
		if int(place) >= m.N() || len(entries) > m.found.K {
			return job.ErrPosition(place, m.N())
		}
		m.found.Set(place, entries)
	}
	p.Add(len(l.Rows))
	return nil
}

// Ahead loads the state that was recorded before a fold, if that fold then took effect.
func Ahead(b *build.Build) error {
	if b.State.Method != job.BallsMethod {
		return nil
	}
	folded, ok, err := b.Draft.Folded()
	if err != nil || !ok || int(folded) <= len(b.State.Stages) {
		return err
	}
	runs := b.State.Runs // these include the present run
	known, err := b.Draft.Load(job.AheadRecord, &b.State)
	if err == nil && !known {
		err = fmt.Errorf("builder: lists of %d stages without their state", folded)
	}
	b.State.Runs = runs
	return err
}
