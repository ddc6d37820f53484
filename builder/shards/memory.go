package shards

import (
	"fmt"

	"github.com/knng/knng/builder/internal/fixed"
	"github.com/knng/knng/builder/internal/groups"
	"github.com/knng/knng/builder/internal/limits"
	"github.com/knng/knng/builder/internal/points"
	"github.com/knng/knng/builder/internal/solve"
)

// enoughFor refuses a task that cannot stay within the memory of its process, and shares the
// rest out: blocks that grow with the rows stand in files beyond it.
func (s *Run) enoughFor(t Task) error {
	limit, need := s.worker.Memory, int64(0)
	if t.Stage != "audit" && t.Stage != "settle" {
		ps, err := s.points()
		if err != nil {
			return err
		}
		need = s.needs(t, ps)
	}
	if need = need/20*23 + 24*limits.MiB; need > limit { // and the program itself
		return fmt.Errorf("%w: task %v needs %s, the limit is %s", limits.ErrMemory, t, limits.Mebibytes(need+limits.MiB/10), limits.Mebibytes(limit))
	}
	s.ledger.Limit, s.ledger.Dir = max(1, limit-need), s.worker.Scratch
	return nil
}

// needs estimates the memory of a task beside the blocks of the ledger.
func (s *Run) needs(t Task, ps *points.Points) int64 {
	row := int64(s.space.RowBytes())
	g := s.goal()
	leaders := int64(groups.Leaders(s.fixed.N, s.spec.Manifest.K, g.OverlapOf(max(1, t.Division))))
	lists := int64(8 * s.spec.Manifest.K)
	switch t.Stage {
	case "lead", "assign": // rows and codes of leaders, and rows of each thread
		return leaders*(row+ps.CodeBytes(1)+40) + int64(s.worker.Threads)*32*limits.MiB
	case "cut", "spill":
		return 24*leaders + fixed.GroupBuffers
	case "solve": // rows, and two lists a row
		return solve.GroupBytes*5/4 + 24*leaders + int64(s.worker.Threads)*4*limits.MiB
	case "fold", "adjacency", "seal": // lists, those of one task, and a file of them
		return int64(s.spec.Range) * lists * 4
	}
	return 3 * ps.ChunkRows() * row
}
