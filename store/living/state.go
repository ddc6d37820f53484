package living

import (
	"errors"
	"fmt"
	"io/fs"
	"math"
	"path/filepath"
	"sync"
	"sync/atomic"

	"github.com/knng/knng/store/living/internal/layer"
	"github.com/knng/knng/store/living/internal/oplog"
	"github.com/knng/knng/store/living/internal/pointer"
	"github.com/knng/knng/store/living/internal/tail"
	"github.com/knng/knng/store/search"
	"github.com/knng/knng/vectors"
	"github.com/knng/knng/vectors/distance"
)

// deadRows is the number of positions that share a page of deaths.
const deadRows = 1024

type deadPage [deadRows]atomic.Uint32

// A state is a base and the operations since. Operations are counted from 1. One writer applies them; readers
// see those up to the operation in their snapshot.
type state struct {
	dir    *home
	metric distance.Metric
	typ    vectors.Type
	dim    int
	scale  int // exponent: rows are compared multiplied by 2^scale
	k      int
	base   *base // nil: there is none
	first  uint64
	tail   *tail.Tail
	dead   []atomic.Pointer[deadPage] // of the base: the operation that ended each position

	refs atomic.Int32

	writing  sync.Mutex // held while operations are applied
	man      *pointer.Manifest
	layer    *layer.Layer // nil: there is none
	logs     []*oplog.Reader
	firstOp  uint64 // number of the first operation in the logs
	ops      uint32 // applied
	liveBase int
	liveTail int

	ids    sync.RWMutex
	latest map[string]uint32 // latest row of the tail with an id

	now atomic.Pointer[snapshot]
}

// A snapshot is a state after some operations.
type snapshot struct {
	man      *pointer.Manifest
	layer    *layer.Layer
	part     tail.Part
	ops      uint32
	liveBase int
	liveTail int
	end      int64 // of the last log
}

func (s *snapshot) live() int { return s.liveBase + s.liveTail }

// openState opens the files of a manifest. keep, if not nil, is another state, whose base is reused if it is
// the same.
func openState(dir *home, m *pointer.Manifest, keep *state, o *search.Options) (*state, error) {
	st := &state{dir: dir.retain(), man: m, dim: m.Dim, k: m.K, first: m.FirstRow, latest: map[string]uint32{}}
	st.refs.Store(1)
	if err := st.open(keep, o); err != nil {
		st.release()
		if errors.Is(err, fs.ErrNotExist) {
			err = fmt.Errorf("%w: %s lost a file: %v", ErrCorrupt, dir.Name(), err)
		}
		return nil, err
	}
	return st, nil
}

func (st *state) open(keep *state, o *search.Options) (err error) {
	m := st.man
	if st.metric, err = distance.ParseMetric(m.Metric); err != nil {
		return err
	}
	if st.typ, err = vectors.ParseType(m.Type); err != nil {
		return err
	}
	if keep != nil && keep.hasBaseOf(m) {
		st.base = keep.base.retain()
	} else if st.base, err = openBase(st.dir.Dir, m, o); err != nil {
		return err
	}
	if err := st.agrees(); err != nil {
		return err
	}
	if st.layer, err = st.openLayer(m); err != nil {
		return err
	}
	return st.openLogs()
}

// hasBaseOf reports whether a state has the base of a manifest. Another goroutine may refresh the state
// meanwhile, which changes its manifest.
func (st *state) hasBaseOf(m *pointer.Manifest) bool {
	st.writing.Lock()
	defer st.writing.Unlock()
	return st.man.Base == m.Base && st.man.Checksum == m.Checksum && st.man.Rows == m.Rows
}

// openLayer reads the layer of a manifest; nil if it has none.
func (st *state) openLayer(m *pointer.Manifest) (*layer.Layer, error) {
	if m.Layer == "" {
		return nil, nil
	}
	data, err := st.dir.ReadFile(m.Layer, math.MaxInt64-1)
	if err != nil {
		return nil, err
	}
	l, err := layer.Decode(data, uint32(st.base.g.Len()))
	if err != nil {
		return nil, fmt.Errorf("%w: %s: %w", ErrCorrupt, st.path(m.Layer), err)
	}
	return l, nil
}

// agrees checks the base against the manifest, and makes room for the tail.
func (st *state) agrees() (err error) {
	if st.base != nil {
		info := st.base.g.Info().Manifest
		if info.Dim != st.dim || info.Type != st.typ.String() || info.Metric != st.metric.String() {
			return fmt.Errorf("%w: the base has %d %s by %s, the manifest names %d %v by %v", ErrCorrupt, info.Dim, info.Type, info.Metric, st.dim, st.typ, st.metric)
		}
		if info.Offsets != nil {
			return fmt.Errorf("%s: %w", st.base.g.Dir(), ErrOffsets)
		}
		st.scale = info.Scale()
		st.liveBase = st.base.count
		st.dead = make([]atomic.Pointer[deadPage], (st.base.g.Len()+deadRows-1)/deadRows)
	}
	if st.base == nil {
		st.tail, err = tail.Alone(st.metric, st.typ, st.dim)
		return err
	}
	st.tail, err = tail.New(st.metric, st.typ, st.dim, st.scale)
	return err
}

func (st *state) openLogs() error {
	for i, number := range st.man.Logs {
		f, err := st.dir.Open(pointer.Log(number))
		if err != nil {
			return err
		}
		r, err := oplog.NewReader(f, st.dir.Path(pointer.Log(number)))
		if err != nil {
			return errors.Join(err, f.Close())
		}
		st.logs = append(st.logs, r)
		if r.Number != number || r.Type != st.typ || r.Dim != st.dim {
			return fmt.Errorf("%w: %s is number %d of %d %v, want %d of %d %v", ErrCorrupt, f.Name(), r.Number, r.Dim, r.Type, number, st.dim, st.typ)
		}
		if i == 0 && r.FirstRow != st.first {
			return fmt.Errorf("%w: %s begins with row %d, want %d", ErrCorrupt, f.Name(), r.FirstRow, st.first)
		}
	}
	if len(st.logs) > 0 {
		st.firstOp = st.logs[0].FirstOp
	}
	return nil
}

// replay applies the logs up to their durable lengths, and publishes the result. With recover, which only the
// writer sets, it also takes whole frames after the last durable length. Readers do so too if a durable
// length is torn, since it may have been the larger one.
func (st *state) replay(recover bool) error {
	st.writing.Lock()
	defer st.writing.Unlock()
	for i, r := range st.logs {
		if _, op := r.At(); op == r.FirstOp {
			if err := st.begins(r); err != nil {
				return err
			}
		}
		end, err := r.Durable()
		if err != nil {
			return err
		}
		if err := r.To(end, st.applyRead); err != nil {
			return err
		}
		if recover && i == len(st.logs)-1 || r.Torn() {
			if err := r.Recover(st.applyRead); err != nil {
				return err
			}
		}
	}
	if l := st.layer; l != nil && (l.Rows > st.tail.After(0).Len() || l.Op > st.ops) {
		return fmt.Errorf("%w: %s is of %d rows after %d operations, the logs have %d and %d", ErrCorrupt, st.path(st.man.Layer), l.Rows, l.Op, st.tail.After(0).Len(), st.ops)
	}
	end := int64(0)
	if last := len(st.logs) - 1; last >= 0 {
		end, _ = st.logs[last].At()
	}
	st.publish(end)
	return nil
}

// begins checks that a log begins where the previous one ends.
func (st *state) begins(r *oplog.Reader) error {
	if r.FirstOp != st.firstOp+uint64(st.ops) || r.FirstRow != st.nextRow() {
		return fmt.Errorf("%w: %s begins with operation %d and row %d, want %d and %d", ErrCorrupt, r.File().Name(), r.FirstOp, r.FirstRow, st.firstOp+uint64(st.ops), st.nextRow())
	}
	return nil
}

// nextRow returns the number of the next row.
func (st *state) nextRow() uint64 { return st.first + uint64(st.tail.After(0).Len()) }

// publish shows the operations applied so far to new views.
func (st *state) publish(end int64) {
	st.now.Store(&snapshot{man: st.man, layer: st.layer, part: st.tail.After(st.ops), ops: st.ops, liveBase: st.liveBase, liveTail: st.liveTail, end: end})
}

// applyRead applies an operation that was read.
func (st *state) applyRead(_ uint64, op *oplog.Op) error { return st.apply(op) }

// apply applies an operation. It is safe with an invalid operation, from any source.
func (st *state) apply(op *oplog.Op) error {
	if st.ops >= math.MaxUint32-1 || st.tail.After(0).Len() >= math.MaxUint32-1 {
		return errors.New("more operations than are counted")
	}
	if op.Row != oplog.NoRow {
		if err := st.kill(op.Row); err != nil {
			return err
		}
	} else if op.Kind == oplog.Delete {
		return errors.New("no row to delete")
	}
	st.ops++
	if op.Kind == oplog.Put {
		st.add(op)
	}
	return nil
}

func (st *state) add(op *oplog.Op) {
	st.ids.Lock()
	defer st.ids.Unlock()
	row, before := st.tail.After(0).Len(), tail.NoRow
	if last, ok := st.latest[op.ID]; ok && op.ID != "" {
		before = last
	}
	st.tail.Add(op.ID, op.Vector, before, st.ops)
	if op.ID != "" {
		st.latest[op.ID] = row
	}
	st.liveTail++
}

// kill ends a row with the current operation.
func (st *state) kill(row uint64) error {
	op := st.ops + 1
	if row >= st.first {
		at := row - st.first
		part := st.tail.After(st.ops)
		if at >= uint64(part.Len()) || !part.Live(uint32(at)) {
			return fmt.Errorf("row %d ends, which does not live", row)
		}
		st.tail.Kill(uint32(at), op)
		st.liveTail--
		return nil
	}
	p, ok := st.position(row)
	if !ok || !st.livesAt(p, st.ops) {
		return fmt.Errorf("row %d ends, which does not live", row)
	}
	page := st.dead[p/deadRows].Load()
	if page == nil {
		page = new(deadPage)
		st.dead[p/deadRows].Store(page)
	}
	page[p%deadRows].Store(op)
	st.liveBase--
	return nil
}

// position returns the position of a row in the base, if it has a vector.
func (st *state) position(row uint64) (p uint32, ok bool) {
	if st.base == nil {
		return 0, false
	}
	p, ok = st.base.rows.position(row)
	return p, ok && st.base.isPlaced(p)
}

// livesAt reports whether a position lives after some operations.
func (st *state) livesAt(p uint32, ops uint32) bool {
	page := st.dead[p/deadRows].Load()
	if page == nil {
		return true
	}
	op := page[p%deadRows].Load()
	return op == 0 || op > ops
}

func (st *state) retain() *state {
	st.refs.Add(1)
	return st
}

// release closes the state with its last holder.
func (st *state) release() error {
	if st.refs.Add(-1) > 0 {
		return nil
	}
	errs := []error{st.base.release(), st.dir.release()}
	for _, r := range st.logs {
		errs = append(errs, r.Close())
	}
	return errors.Join(errs...)
}

// path returns the path of a file of the store, for messages and for linking.
func (st *state) path(name string) string {
	return filepath.Join(st.dir.Name(), filepath.FromSlash(name))
}
