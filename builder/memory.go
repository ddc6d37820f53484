package builder

import (
	"fmt"

	"github.com/knng/knng/builder/parts"
	"github.com/knng/knng/vectors"
	"github.com/knng/knng/vectors/distance"
)

// fixedMemory is what a build takes whatever its input: the program, Pebble's
// memtables and block cache, and the buffers of its workers.
const fixedMemory = 96 << 20

// enough refuses a build whose anonymous memory cannot stay under the limit.
// Mapped rows do not count: the kernel may drop them.
func (r *run) enough() error {
	limit, need := r.limit(), r.need()
	if need > limit {
		advice := ""
		if r.opts.choose(len(r.good), r.src.Dim()) == Balls {
			advice = "; method parts needs less"
		}
		return fmt.Errorf("%w: %d rows with k=%d need %s, the limit is %s%s",
			ErrMemory, len(r.good), r.opts.K, mebibytes(need), mebibytes(limit), advice)
	}
	return nil
}

// limit is the memory that the build may take.
func (r *run) limit() int64 {
	if r.opts.Memory > 0 {
		return r.opts.Memory
	}
	return offeredMemory() / 2
}

// openLedger shares the limit out: what grows with the rows gets what the rest does
// not need, and goes to files beyond that. The other methods hold more than that in
// memory and refuse a limit that is too low.
func (r *run) openLedger() (err error) {
	r.ledger.Limit = max(1, r.limit()-r.partsBytes())
	r.ledger.Dir, err = r.draft.ScratchDir()
	return err
}

// partsBytes is what the parts method takes whatever the number of rows: a group and
// its lists in their last form, and each goroutine's leaders and rows.
func (r *run) partsBytes() int64 {
	row := int64(r.src.Dim() * r.src.Type().Size())
	leaders := int64(parts.Leaders(r.src.Len(), r.opts.K, overlap))
	assigners := int64(r.opts.Threads) * (leaders*(2*row+r.codesBytes(1)) + 16<<20)
	return fixedMemory + 2*groupBytes + groupBytes/2 + assigners
}

// need is the most anonymous memory that the build will hold at a time.
func (r *run) need() int64 {
	if r.opts.choose(len(r.good), r.src.Dim()) == Parts {
		return r.partsBytes()
	}
	n, k := int64(len(r.good)), int64(min(r.opts.K, len(r.good)-1))
	lists := 2 * 8 * n * k // two generations during propagation
	labels := 4 * n * 8 * 2
	method := r.opts.choose(len(r.good), r.src.Dim())
	if method == Balls {
		// Candidates, their frozen generation and who lists whom.
		lists, labels = 16*n*(k+int64(r.opts.planned().Slack))+20*n, 4*n*overlap
	}
	if method == Balls || r.bytesAreKeys() {
		lists += r.codesBytes(n)
	}
	if r.opts.Distance == nil && !r.bytesAreKeys() {
		lists += 4 * n // products
	}
	perRow := n * (16 + 4*4) // the divider's entries; rows, order and its inverse
	if r.zeroIsBad() {
		perRow += 8 * n // norms
	}
	workers := int64(r.opts.Threads) * (unitRows*k*24 + 4<<20)
	return fixedMemory + lists + labels + perRow + workers
}

// codesBytes is the memory of the codes of n rows and their sums.
func (r *run) codesBytes(n int64) int64 {
	dim := int64(r.src.Dim())
	if r.src.Type() == vectors.Uint8 && dim%4 == 0 && r.opts.Metric != distance.Cosine {
		return 8 * n
	}
	return n * (8 + (dim+3)/4*4)
}

func mebibytes(n int64) string { return fmt.Sprintf("%.1f MiB", float64(n)/(1<<20)) }
