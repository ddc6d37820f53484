package builder

import (
	"github.com/knng/knng/builder/internal/job"
	"github.com/knng/knng/builder/parts"
	"github.com/knng/knng/store"
)

// pipeline takes groups through reading, solving and committing. Solving keeps all
// threads busy; the other two wait for the disk most of the time.
type pipeline struct {
	*partsMethod
	progress *phase
	sum      job.Counts
	waiting  *groupRead // being read: solved next
	idle     *parts.Group
	commits  chan error // of the group being committed; nil where there is none
}

// groupRead is a group on its way into memory.
type groupRead struct {
	number int
	group  *parts.Group
	ready  chan error
}

func newPipeline(m *partsMethod, p *phase) *pipeline {
	return &pipeline{partsMethod: m, progress: p, idle: &m.groups[0]}
}

// next has a group read, and solves the one that was read meanwhile.
func (l *pipeline) next(spill *parts.Spill, number int) error {
	coming := &groupRead{number: number, group: l.idle, ready: make(chan error, 1)}
	go func() { coming.ready <- spill.Read(number, coming.group) }()
	before := l.waiting
	l.waiting = coming
	if before == nil {
		l.idle = &l.groups[1]
		return nil
	}
	l.idle = before.group
	return l.solve(before)
}

// solve solves a group that was being read and has it committed.
func (l *pipeline) solve(g *groupRead) error {
	if err := <-g.ready; err != nil {
		return err
	}
	blocks, note, err := l.solveGroup(g.group)
	if err != nil {
		return err
	}
	if err := l.wait(); err != nil {
		return err
	}
	l.commits = make(chan error, 1)
	go func() { l.commits <- l.commit(g.number, blocks, note) }()
	l.sum.Add(note.Counts)
	l.progress.Add(1)
	return nil
}

func (l *pipeline) commit(number int, blocks []store.Lists, note groupNote) error {
	return l.Draft.CommitUnit(l.StageNumber(), uint32(number), blocks, note)
}

// wait waits for the group that is being committed.
func (l *pipeline) wait() error {
	if l.commits == nil {
		return nil
	}
	err := <-l.commits
	l.commits = nil
	return err
}

// end solves the last group, unless there was an error, and waits for all that is
// under way. It returns the first error.
func (l *pipeline) end(err error) error {
	if last := l.waiting; last != nil {
		l.waiting = nil
		if err == nil {
			err = l.solve(last)
		} else {
			<-last.ready // the error before it counts
		}
	}
	if commitErr := l.wait(); err == nil {
		err = commitErr
	}
	return err
}
