package store

import (
	"bufio"
	"cmp"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"slices"
	"strconv"

	"github.com/knng/knng/store/internal/rooted"
)

// An arc is an entry of a list, seen from the row that is listed: the row whose
// list it is, and the key.
type arc struct {
	from uint32
	key  float32
}

func (a arc) compare(b arc) int {
	if a.key != b.key {
		return cmp.Compare(a.key, b.key)
	}
	return cmp.Compare(a.from, b.from)
}

// recordBytes is an arc in a spill file: u32 row listed, u32 row whose list it
// is, f32 key. In memory it takes 8 bytes, and a row 8 more.
const recordBytes = 12

// sortBytes is about the size of a processor's cache: 20,000,000 entries took 9 s with 1 to
// 32 MiB at a time, 14 s with 64 and 16 s with 256, because each entry moves to a random
// position.
const sortBytes = 32 << 20

// maxSpills bounds the files that are open at once; many systems allow 1024.
const maxSpills = 900

// maxGroups bounds the counters by which rows are shared out.
const maxGroups = 1 << 16

// A transposer turns lists around: from the neighbors of every row to the rows
// that list it, sorted outside memory (Knuth, The Art of Computer Programming,
// volume 3, section 5.4: distribution, then internal sorts).
//
// Rows are counted in groups of equal length; consecutive groups whose arcs fit
// the memory share a spill file.
type transposer struct {
	ctx      context.Context
	s        *Store
	dir      *rooted.Dir // of the spill files
	memory   int64
	progress func(what string, done, total int)

	shift   uint    // rows of a group: 1 << shift
	counts  []int64 // arcs to each group
	spills  []spill
	spillOf []int // of each group
	entries int64
}

// A spill holds the arcs to rows from up to to.
type spill struct {
	from, to int
	arcs     int64
	name     string
}

func newTransposer(ctx context.Context, s *Store, dir *rooted.Dir, opts *ReverseOptions) (*transposer, error) {
	t := &transposer{ctx: ctx, s: s, dir: dir}
	limit := int64(math.MaxInt64)
	if opts != nil {
		t.progress = opts.Progress
		if opts.Memory > 0 {
			limit = opts.Memory
		}
	}
	if t.progress == nil {
		t.progress = func(string, int, int) {}
	}
	all := bytesToSort(int64(s.shape.Lists)*int64(s.shape.K), s.Len())
	least := 2 * all / maxSpills // two neighboring spills fill the memory at least once
	if limit < least {
		return nil, fmt.Errorf("%w: %d bytes for the in-neighbors of %s, at least %d are needed", ErrMemory, limit, s.dir, least)
	}
	t.memory = max(least, min(limit, sortBytes))
	for t.shift = 4; s.shape.Rows>>t.shift >= maxGroups; {
		t.shift++
	}
	return t, nil
}

// bytesToSort is the memory for arcs to so many rows.
func bytesToSort(arcs int64, rows int) int64 { return 8*arcs + 8*int64(rows) }

// each calls fn for rows 0, 1, 2, ... with the rows that list them and the keys,
// sorted by (key, row). The slices are valid during the call.
func (t *transposer) each(fn func(neighbors []uint32, keys []float32) error) error {
	if err := t.count(); err != nil {
		return err
	}
	t.plan()
	if err := t.distribute(); err != nil {
		return err
	}
	var arcs []arc
	var ends []int64
	for i := range t.spills {
		sp := &t.spills[i]
		t.progress("sorting", sp.from, t.s.Len())
		err := t.ctx.Err()
		if err == nil {
			arcs, ends, err = sp.load(t.dir, arcs, ends)
		}
		if err == nil {
			err = emit(arcs, ends, fn)
		}
		if err == nil {
			err = t.dir.Remove(sp.name)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// emit passes the rows of a spill on, those without in-neighbors too.
func emit(arcs []arc, ends []int64, fn func([]uint32, []float32) error) error {
	var neighbors []uint32
	var keys []float32
	begin := int64(0)
	for _, end := range ends {
		neighbors, keys = neighbors[:0], keys[:0]
		for _, a := range arcs[begin:end] {
			neighbors, keys = append(neighbors, a.from), append(keys, a.key)
		}
		if err := fn(neighbors, keys); err != nil {
			return err
		}
		begin = end
	}
	return nil
}

// lists goes over the lists of the store.
func (t *transposer) lists(what string, fn func(row uint32, neighbors []uint32, keys []float32) error) error {
	return t.s.EachKeyed(func(row Row, neighbors []uint32, keys []float32) error {
		if row%8192 == 0 {
			t.progress(what, int(row), t.s.Len())
			if err := t.ctx.Err(); err != nil {
				return err
			}
		}
		return fn(uint32(row), neighbors, keys)
	})
}

func (t *transposer) count() error {
	t.counts = make([]int64, (t.s.Len()+1<<t.shift-1)>>t.shift)
	return t.lists("counting", func(_ uint32, neighbors []uint32, _ []float32) error {
		for _, n := range neighbors {
			t.counts[n>>t.shift]++
		}
		t.entries += int64(len(neighbors))
		return nil
	})
}

// plan shares the groups out to spills.
func (t *transposer) plan() {
	for g, arcs := range t.counts {
		last := len(t.spills) - 1
		to := min(t.s.Len(), (g+1)<<t.shift)
		if last < 0 || bytesToSort(t.spills[last].arcs+arcs, to-t.spills[last].from) > t.memory {
			last++
			t.spills = append(t.spills, spill{from: g << t.shift, name: strconv.Itoa(last)})
		}
		t.spills[last].to = to
		t.spills[last].arcs += arcs
		t.spillOf = append(t.spillOf, last)
	}
}

// distribute writes every arc to the spill of the row that is listed.
func (t *transposer) distribute() (err error) {
	files := make([]*os.File, len(t.spills))
	buffers := make([]*bufio.Writer, len(t.spills))
	defer func() {
		for _, f := range files {
			if f != nil {
				err = errors.Join(err, f.Close())
			}
		}
	}()
	size := int(min(1<<20, t.memory/int64(max(1, len(t.spills)))))
	for i, sp := range t.spills {
		if files[i], err = t.dir.Create(sp.name); err != nil {
			return fmt.Errorf("store: %w", err)
		}
		buffers[i] = bufio.NewWriterSize(files[i], size)
	}
	err = t.lists("distributing", func(row uint32, neighbors []uint32, keys []float32) error {
		for i, n := range neighbors {
			w := buffers[t.spillOf[n>>t.shift]]
			record := binary.LittleEndian.AppendUint32(w.AvailableBuffer(), n)
			record = binary.LittleEndian.AppendUint32(record, row)
			record = binary.LittleEndian.AppendUint32(record, math.Float32bits(keys[i]))
			if _, err := w.Write(record); err != nil {
				return fmt.Errorf("store: %w", err)
			}
		}
		return nil
	})
	for _, w := range buffers {
		if err == nil {
			if err = w.Flush(); err != nil {
				err = fmt.Errorf("store: %w", err)
			}
		}
	}
	return err
}

// load reads the spill twice, to count the arcs to each row and to put them
// where they belong, and sorts those of each row. ends[i] is the end of row
// from+i in arcs. Sorting all arcs of a spill at once takes five times as long.
func (sp *spill) load(dir *rooted.Dir, arcs []arc, ends []int64) ([]arc, []int64, error) {
	arcs, ends = slices.Grow(arcs[:0], int(sp.arcs))[:sp.arcs], slices.Grow(ends[:0], sp.to-sp.from)[:sp.to-sp.from]
	clear(ends)
	if err := sp.read(dir, func(to uint32, _ arc) { ends[int(to)-sp.from]++ }); err != nil {
		return arcs, ends, err
	}
	begin := int64(0)
	for i, n := range ends {
		ends[i] = begin
		begin += n
	}
	err := sp.read(dir, func(to uint32, a arc) { // ends move from the beginnings to the ends
		end := &ends[int(to)-sp.from]
		arcs[*end] = a
		*end++
	})
	begin = 0
	for _, end := range ends {
		slices.SortFunc(arcs[begin:end], arc.compare)
		begin = end
	}
	return arcs, ends, err
}

// read calls fn for every arc of the spill.
func (sp *spill) read(dir *rooted.Dir, fn func(to uint32, a arc)) error {
	f, err := dir.Open(sp.name)
	if err != nil {
		return fmt.Errorf("store: %w", err)
	}
	defer f.Close()
	r := bufio.NewReaderSize(f, 1<<16)
	var record [recordBytes]byte
	for range sp.arcs {
		if _, err := io.ReadFull(r, record[:]); err != nil {
			return fmt.Errorf("store: %s, of %d entries: %w", dir.Path(sp.name), sp.arcs, err)
		}
		to := binary.LittleEndian.Uint32(record[:])
		if int64(to) < int64(sp.from) || int64(to) >= int64(sp.to) {
			return fmt.Errorf("store: %s: entry to row %d, want %d to %d", dir.Path(sp.name), to, sp.from, sp.to-1)
		}
		fn(to, arc{binary.LittleEndian.Uint32(record[4:]), math.Float32frombits(binary.LittleEndian.Uint32(record[8:]))})
	}
	return nil
}
