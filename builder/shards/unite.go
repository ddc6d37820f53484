package shards

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"slices"

	"github.com/knng/knng/builder"
	"github.com/knng/knng/builder/internal/arrange"
	"github.com/knng/knng/builder/internal/audit"
	"github.com/knng/knng/builder/internal/input"
	"github.com/knng/knng/builder/internal/job"
	"github.com/knng/knng/builder/internal/limits"
	"github.com/knng/knng/builder/internal/offheap"
	"github.com/knng/knng/builder/internal/pieces"
	"github.com/knng/knng/builder/internal/stopped"
	"github.com/knng/knng/store"
	"github.com/knng/knng/store/analysis"
	"github.com/knng/knng/vectors"
)

// Unite makes one store at dir from the graph of a finished run. The store has the checksum of the one that
// builder.Build makes. Called again after an interruption, Unite continues; if the store is finished, it
// returns the Result and store.ErrFinished. Errors: ErrUnfinished, ErrDamaged, and those of builder.Build.
func (s *Run) Unite(ctx context.Context, dir string) (*builder.Result, error) {
	result, err := s.Result()
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%w: give the command of %s again first", ErrUnfinished, s.name)
	}
	if err != nil {
		return nil, err
	}
	if _, err := s.settled(); err != nil { // before there is a store at dir: a run that is refused leaves none
		return nil, err
	}
	if err := s.enough("uniting the graph", s.spec.uniteNeeds()); err != nil {
		return nil, err
	}
	draft, err := store.OpenDraft(dir, s.spec.Manifest, &store.DraftOptions{Scratch: s.worker.Scratch, Logger: s.worker.Logger, Context: ctx})
	if errors.Is(err, store.ErrFinished) {
		result = new(builder.Result)
		if err := store.ReadResult(dir, result); err != nil {
			return nil, err
		}
		return result, err
	}
	if err != nil {
		return nil, limits.Space(stopped.Error(ctx, err))
	}
	defer draft.Close()
	u := &uniting{Run: s, ctx: ctx, draft: draft}
	used, stop := job.Use(u.onDisk)
	defer stop()
	if err := vectors.Guard(func() error { return u.unite(result) }); err != nil {
		return nil, limits.Space(stopped.Error(ctx, err))
	}
	use(result, used())
	err = limits.Space(stopped.Error(ctx, draft.Seal(ctx, result)))
	use(result, used())
	return result, err
}

// use adds the use of the machine by Unite to a result; that of a run has none.
func use(r *builder.Result, u job.Usage) {
	r.Seconds, r.CPUSeconds = u.Seconds, u.CPUSeconds
	r.PeakAnonBytes, r.PeakRSSBytes, r.PeakDiskBytes = u.PeakAnon, u.PeakRSS, u.PeakDisk
	r.ReadBytes, r.WrittenBytes = u.ReadBytes, u.Written
}

// uniting is one store being made.
type uniting struct {
	*Run
	ctx   context.Context
	draft *store.Draft
}

// onDisk returns the bytes of the store on disk now, and of memory that lies in files.
func (u *uniting) onDisk() int64 {
	bytes, _ := u.draft.DiskBytes() // an unknown size counts as 0
	return bytes + u.ledger.Disk()
}

// unite writes rows, ids and lists, and adds the sums of these to the result.
func (u *uniting) unite(result *builder.Result) (err error) {
	if err := u.copyRows(); err != nil {
		return err
	}
	if err := u.commitIDs(); err != nil {
		return err
	}
	if result.Components, err = u.commitLists(result.K); err != nil {
		return err
	}
	result.Checksum, err = u.draft.Checksum(u.ctx)
	return err
}

// copyRows writes the good rows as the store's own, with the findings of the audit.
func (u *uniting) copyRows() error {
	if done, err := u.draft.HasRows(); done || err != nil {
		return err
	}
	rows, err := u.input(0, u.spec.Manifest.Rows)
	if err != nil {
		return err
	}
	audited, err := vectors.Checksum(rows, vectors.AuditOptions{Context: u.ctx, Threads: u.worker.Threads})
	if err != nil {
		return err
	}
	if err := u.draft.Record(audit.Record, audit.Bad{Rows: u.fixed.Bad, Checksum: audit.Text(audited)}); err != nil {
		return err
	}
	good := &audit.Without{Source: rows, Dropped: u.fixed.Bad}
	w, err := u.draft.CreateRows(good.Len(), good.Dim(), good.Type())
	if err != nil {
		return err
	}
	defer w.Abort()
	size := u.space.RowBytes()
	room := make([]byte, max(1, arrange.Chunk/size)*size)
	for from := 0; from < good.Len(); from += len(room) / size {
		room = room[:min(len(room)/size, good.Len()-from)*size]
		if err := good.ReadRows(from, room); err != nil {
			return err
		}
		if _, err := w.Write(room); err != nil {
			return err
		}
		if err := u.ctx.Err(); err != nil {
			return err
		}
	}
	if err := w.Commit(); err != nil {
		return err
	}
	order := make([]uint32, good.Len())
	for place := range order {
		order[place] = uint32(u.rowOf(place))
	}
	return u.draft.CommitOrder(order)
}

func (u *uniting) commitIDs() error {
	if done, err := u.draft.IDsDone(); u.spec.IDs == "" || done || err != nil {
		return err
	}
	var dropped []uint32
	if u.spec.BadRows == audit.Drop {
		dropped = u.fixed.Bad
	}
	ids := input.IDs{Path: u.spec.IDs}
	return ids.Store(u.ctx, u.draft, u.outputRows(), dropped)
}

// commitLists writes the adjacency and counts the components.
func (u *uniting) commitLists(k int) (components int, err error) {
	parted, err := offheap.Take[uint32](&u.ledger, u.outputRows())
	if err != nil {
		return 0, err
	}
	defer parted.Free()
	partition := analysis.PartitionIn(parted.Slice)
	err = u.draft.CommitAdjacency(k, func(add func([]uint32, []float32) error) error {
		return u.eachList(func(row uint32, ids []uint32, keys []float32) error {
			partition.UniteAll(row, ids)
			return add(ids, keys)
		})
	})
	components = partition.Len()
	if u.spec.BadRows == audit.Isolate { // isolated rows are no components of their own
		components -= len(u.fixed.Bad)
	}
	return components, err
}

// eachList calls fn with the list of every row, in order.
func (u *uniting) eachList(fn func(row uint32, ids []uint32, keys []float32) error) error {
	row := 0
	ranges, err := u.ranges()
	if err != nil {
		return err
	}
	var f graphFile
	return u.eachPiece("adjacency", 0, func(r int, p *pieces.Piece) error {
		from, to := u.graphRows(r, ranges)
		if err := f.read(p, to-from, u.outputRows()); err != nil {
			return err
		}
		lists := &f.lists
		for i := range to - from {
			if err := fn(uint32(row), lists.Neighbors[lists.Starts[i]:lists.Starts[i+1]], lists.Keys[lists.Starts[i]:lists.Starts[i+1]]); err != nil {
				return err
			}
			row++
		}
		return u.ctx.Err()
	})
}

// graphFile is a file of adjacency that was read. Files that are read one after the other share its memory.
type graphFile struct {
	sections [3][]byte // counts, ids, keys
	lists    store.Lists
}

// read reads the lists of so many rows, with neighbors below n.
func (f *graphFile) read(p *pieces.Piece, rows, n int) (err error) {
	for i := range f.sections {
		if f.sections[i], err = p.Get(uint64(i), f.sections[i][:0]); err != nil {
			return err
		}
	}
	counts, ids, keys := f.sections[0], f.sections[1], f.sections[2]
	if len(counts) != 2*rows || len(ids) != len(keys) {
		return p.Damaged(fmt.Errorf("%d rows, %d bytes of neighbors and %d of keys", len(counts)/2, len(ids), len(keys)))
	}
	l := &f.lists
	l.Reset()
	l.Neighbors, l.Keys = slices.Grow(l.Neighbors, len(ids)/4), slices.Grow(l.Keys, len(ids)/4)
	for i := range rows {
		l.Append(uint32(i), nil, nil)
		count := 4 * int(binary.LittleEndian.Uint16(counts[2*i:]))
		if count > len(ids) {
			return p.Damaged(fmt.Errorf("row %d of it has %d neighbors, and %d are left", i, count/4, len(ids)/4))
		}
		for at := 0; at < count; at += 4 {
			id := binary.LittleEndian.Uint32(ids[at:])
			if int(id) >= n {
				return p.Damaged(fmt.Errorf("neighbor %d, want below %d", id, n))
			}
			l.Add(id, math.Float32frombits(binary.LittleEndian.Uint32(keys[at:])))
		}
		ids, keys = ids[count:], keys[count:]
	}
	return nil
}
