package parts

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/knng/knng/builder/internal/fixed"
	"github.com/knng/knng/builder/internal/groups"
	"github.com/knng/knng/builder/internal/job"
	"github.com/knng/knng/builder/internal/solve"
	"github.com/knng/knng/builder/progress"
)

// divide runs one division.
func (m *Method) divide() error {
	if err := m.fold(); err != nil {
		return err
	}
	if err := m.bounds.Take(&m.Ledger, m.N()); err != nil {
		return err
	}
	number := m.State.Count(job.DivisionStage) + 1
	leaves, err := m.assign(number)
	if err != nil {
		return err
	}
	defer leaves.Free()
	inMemory := fixed.BatchRoom(m.Ledger.Room()) // beside groups
	defer m.roomForGroups()()
	done, sum, err := m.Committed(leaves.Groups())
	if err != nil {
		return err
	}
	p := m.Begin(fmt.Sprintf("division %d", number), "groups", int64(leaves.Groups()))
	for _, batch := range leaves.Batches(int64(fixed.SpillShare*float64(m.N()*m.Space.RowBytes())), inMemory) {
		counts, err := m.doBatch(leaves, batch, done, p)
		if err != nil {
			return err
		}
		sum.Add(counts)
	}
	st := job.Stage{Kind: job.DivisionStage, Number: number, Requested: sum.Requested, Evaluated: sum.Evaluated}
	m.Goal.NoteLeaves(&m.State, &st)
	if m.Steer != nil {
		if st.Recall, st.Margin, err = m.steered(); err != nil {
			return err
		}
	}
	m.State.Stages = append(m.State.Stages, st)
	if err = m.Save(); err == nil {
		err = m.forgetLeaves()
	}
	p.End("division %d: each row in %d of %d leaves, %.0f pairs a row%s", number, leaves.Overlap, leaves.Leaders,
		float64(sum.Requested)/float64(m.N()), m.SteerNote())
	return err
}

// roomForGroups reserves the memory of groups in the ledger, until done is called.
func (m *Method) roomForGroups() (done func()) {
	m.Ledger.Limit = m.opts.Memory.Solving()
	return func() {
		m.group.Free()
		m.Ledger.Limit = m.opts.Memory.Between()
	}
}

// assign assigns all rows to leaves.
func (m *Method) assign(number int) (*groups.Leaves, error) {
	rounding, err := m.Rounding(m.Rows)
	if err != nil {
		return nil, err
	}
	scratch, err := m.Draft.ScratchDir()
	if err != nil {
		return nil, err
	}
	p := m.Begin(fmt.Sprintf("leaders %d", number), "rows", int64(m.N()))
	defer p.End("")
	lap := m.Goal.PartsLeaves(&m.State)
	d := groups.Division{
		Rows: m.Rows, Space: m.Space, Rounding: rounding, Seed: m.Set.Seed, Number: uint32(number),
		Overlap: lap, Leaders: groups.Leaders(m.N(), m.Set.K, lap), GroupBytes: solve.BytesOfGroup(m.Goal.PartsOverlap(m.N())), RowBytes: m.groupRowBytes(),
		Threads: m.Job.Threads, Memory: &m.Ledger, Progress: p.Add, Earlier: p.Earlier,
		Keep: filepath.Join(scratch, job.LeavesFile),
	}
	if m.State.ByKeys() {
		return m.assignByPlanes(d)
	}
	return groups.Divide(m.Ctx, d)
}

// forgetLeaves removes the leaves of a finished division.
func (m *Method) forgetLeaves() error {
	scratch, err := m.Draft.ScratchDir()
	if err != nil {
		return err
	}
	if err := os.Remove(filepath.Join(scratch, job.LeavesFile)); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// doBatch does the unfinished groups of a batch. While it solves one group, the previous one is committed and
// the next one is read from disk.
func (m *Method) doBatch(leaves *groups.Leaves, batch groups.Batch, done []bool, p *progress.Phase) (sum job.Counts, err error) {
	if !slices.Contains(done[batch.From:batch.To], false) {
		p.Earlier(batch.To - batch.From)
		return sum, nil
	}
	scratch, err := m.Draft.ScratchDir()
	if err != nil {
		return sum, err
	}
	spill, err := leaves.Spill(m.Ctx, batch, scratch)
	if err != nil {
		return sum, err
	}
	defer spill.Close() // it is unnamed: its contents are removed with it
	m.Holds(spill)
	defer m.Holds(nil)
	line, err := newPipeline(m, spill, p)
	if err != nil {
		return sum, err
	}
	for g := batch.From; g < batch.To && err == nil; g++ {
		if done[g] {
			p.Earlier(1)
			continue
		}
		next := g + 1
		for next < batch.To && done[next] {
			next++
		}
		err = line.solve(g, next)
	}
	err = line.end(err)
	return line.sum, err
}

// groupRowBytes returns the memory of a row in a group.
func (m *Method) groupRowBytes() int64 {
	return solve.RowBytes(&m.Points, m.Set.K, m.Goal.PartsOverlap(m.N()))
}
