package shards

import (
	"fmt"

	"github.com/knng/knng/builder/division"
	"github.com/knng/knng/builder/internal/fixed"
	"github.com/knng/knng/builder/internal/limits"
	"github.com/knng/knng/builder/internal/solve"
	"github.com/knng/knng/builder/plan"
)

// enoughFor refuses a task that cannot stay within the memory of its process, and shares the
// rest out: blocks that grow with the rows stand in files beyond it.
func (s *Run) enoughFor(t Task) error {
	need := int64(0)
	if t.Stage != "audit" && t.Stage != "settle" {
		ps, err := s.points()
		if err != nil {
			return err
		}
		shape := schedule{s}.shape(ps, s.fixed.N)
		need = s.spec.needs(t.Stage, &shape, s.worker.Threads)
	}
	return s.enough(fmt.Sprintf("task %v", t), need)
}

// enough refuses work that needs so much beside the blocks of the ledger, which gets the rest.
func (s *Run) enough(doing string, need int64) error {
	limit := s.worker.Memory
	if need = least(need); need > limit {
		return fmt.Errorf("%w: %s needs %s, the limit is %s", limits.ErrMemory, doing, limits.Mebibytes(need+limits.MiB/10), limits.Mebibytes(limit))
	}
	s.ledger.Limit, s.ledger.Dir = max(1, limit-need), s.worker.Scratch
	return nil
}

// least is the memory of a process that needs so much: garbage, and the program itself.
func least(need int64) int64 { return need/20*23 + 24*limits.MiB }

// needs estimates the memory of a task beside the blocks of the ledger.
func (s *runSpec) needs(stage string, shape *plan.Shape, threads int) int64 {
	leaders, row, each := int64(shape.Parts.Leaders), shape.RowBytes, int64(threads)*limits.MiB
	leader := row + shape.CodeBytes + 40
	switch stage {
	case "audit", "settle":
		return 0
	case "heads", "lead": // numbers of leaders, rows and codes of heads, of a shard's leaders and of a range of them, and rows of each thread
		count := shape.Parts.Leaders
		some := 2*division.HeadsOf(count) + count/s.shards() + 1 + min(count, leadRange)
		return 12*leaders + int64(some)*leader + 32*each
	case "assign": // rows and codes of leaders, and rows of each thread
		return leaders*leader + 32*each
	case "cut", "spill":
		return 24*leaders + fixed.GroupBuffers
	case "solve": // rows, and two lists a row
		return solve.BytesOfGroup(shape.Overlap)*5/4 + 24*leaders + 4*each
	case "fold", "adjacency", "seal": // lists, those of one task, and a file of them
		return s.listBytes() * 4
	}
	return 3 * shape.Parts.Chunk
}

// uniteNeeds estimates the memory of Unite beside the blocks of the ledger: the order of rows, and the lists of a range
// twice, in a file and as they are taken from it.
func (s *runSpec) uniteNeeds() int64 { return 4*int64(s.Manifest.Rows) + s.listBytes()*4 }

// listBytes is the memory of the lists of a range.
func (s *runSpec) listBytes() int64 {
	return int64(min(s.Range, s.Manifest.Rows)) * int64(8*s.Manifest.K)
}
