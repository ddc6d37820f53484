package postings

import (
	"bufio"
	"cmp"
	"encoding/binary"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"unsafe"

	"github.com/knng/knng/builder"
	"github.com/knng/knng/builder/internal/job"
	"github.com/knng/knng/vectors"
	"github.com/knng/knng/vectors/aside"
)

// posting is a row of a slab, counted from its first, and its value in a column.
type posting struct {
	row   uint32
	value float32
}

const postingBytes = 8

// index is the rows turned around: for each slab, the postings of every column.
type index struct {
	path string
	file *vectors.MappedFile

	number   []uint32 // of each column, by the number of rows that have it, ascending; none: no row has it
	used     int      // columns with a number
	slabs    []slab
	splits   [levels + 1]uint32 // columns numbered from here on are frequent; of level 0 none are
	products float64            // sum of the squares of the numbers of rows
}

// none marks a column that no row has.
const none = math.MaxUint32

// slab is some consecutive rows. Its part of the file has, for each column by number, where
// its postings begin, u32, and the end; then the postings.
type slab struct {
	from, n  int
	at       int64 // of the part in the file
	nonzeros int
}

// levels is how many bounds for frequent columns there are: level l leaves out columns that
// at least one in 2^(l+1) of all rows has.
const levels = 5

// Rows of a slab: a sum for each stays in the second-level cache. Smaller slabs let the
// level of a row adapt earlier.
const (
	leastSlab = 2048
	mostSlab  = 16384
)

// slabPostings bounds the postings that are turned around at a time.
const slabPostings = 1 << 25

// makeIndex turns the rows around, and refuses a memory limit that is too low.
func (r *run) makeIndex() error {
	if err := r.enough(); err != nil {
		return err
	}
	if err := r.RoomFor("the index", 0, postingBytes*r.rows.Nonzeros()); err != nil {
		return err
	}
	x := &index{path: filepath.Join(r.Scratch, job.InputRows+"-index")}
	r.index = x
	p := r.Begin("index", "rows", int64(r.rows.Len()))
	x.numberColumns(r)
	x.cut(r)
	f, err := aside.Fresh(x.path)
	if err != nil {
		return fmt.Errorf("postings: %w", err)
	}
	defer f.Close()
	w := bufio.NewWriterSize(f, 1<<20)
	t := &turner{run: r, x: x, to: w}
	for i := range x.slabs {
		if err := t.turn(&x.slabs[i]); err != nil {
			return fmt.Errorf("postings: %s: %w", x.path, err)
		}
		p.Add(x.slabs[i].n)
	}
	if err := w.Flush(); err != nil {
		return fmt.Errorf("postings: %s: %w", x.path, err)
	}
	r.Written()
	if x.file, err = vectors.MapOpened(f, x.path); err != nil {
		return err
	}
	r.weights.make(r)
	dense := float64(r.rows.Len()) * float64(r.rows.Len()) * float64(r.rows.Columns())
	p.End("index of %d columns in %d slabs: %.3g products along postings, %.0f times fewer than over all columns", x.used, len(x.slabs), x.products, dense/max(1, x.products))
	return nil
}

// numberColumns numbers the columns by the rows that have them, few first.
func (x *index) numberColumns(r *run) {
	counts := make([]uint32, r.rows.Columns())
	for i := range r.rows.Len() {
		columns, _ := r.rows.Row(i)
		for _, c := range columns {
			counts[c]++
		}
	}
	var used []uint32
	for c, n := range counts {
		if n > 0 {
			used = append(used, uint32(c))
		}
	}
	slices.SortFunc(used, func(a, b uint32) int { return cmp.Or(cmp.Compare(counts[a], counts[b]), cmp.Compare(a, b)) })
	x.used, x.number = len(used), make([]uint32, len(counts))
	for l := range x.splits {
		x.splits[l] = uint32(len(used))
	}
	for c := range x.number {
		x.number[c] = none
	}
	for i, c := range used {
		n := float64(counts[c])
		x.number[c] = uint32(i)
		x.products += n * n
		for l := 1; l <= levels; l++ {
			if x.splits[l] == uint32(len(used)) && n*float64(int(2)<<l) >= float64(r.rows.Len()) {
				x.splits[l] = uint32(i)
			}
		}
	}
}

// cut divides the rows into slabs.
func (x *index) cut(r *run) {
	n := r.rows.Len()
	most := min(max(n/16, leastSlab), mostSlab)
	if nonzeros := r.rows.Nonzeros(); nonzeros > 0 { // the table of a slab should be less than its postings
		most = max(most, min(1<<16, int(2*float64(x.used)*float64(n)/float64(nonzeros))))
	}
	if r.slabRows > 0 {
		most = r.slabRows
	}
	var s slab
	for i := range n {
		columns, _ := r.rows.Row(i)
		if s.n > 0 && (s.n == most || s.nonzeros+len(columns) > slabPostings) {
			x.slabs = append(x.slabs, s)
			s = slab{from: i}
		}
		s.n++
		s.nonzeros += len(columns)
	}
	x.slabs = append(x.slabs, s)
	at := int64(0)
	for i := range x.slabs {
		x.slabs[i].at = at
		at += 4*int64(x.used+1) + postingBytes*int64(x.slabs[i].nonzeros)
	}
}

// turner writes slabs.
type turner struct {
	*run
	x        *index
	to       *bufio.Writer
	starts   []uint32
	postings []posting
}

func (t *turner) turn(s *slab) error {
	if err := t.Ctx.Err(); err != nil {
		return err
	}
	t.starts = append(t.starts[:0], make([]uint32, t.x.used+1)...)
	for i := s.from; i < s.from+s.n; i++ {
		columns, _ := t.rows.Row(i)
		for _, c := range columns {
			t.starts[t.x.number[c]+1]++
		}
	}
	for i := range t.x.used {
		t.starts[i+1] += t.starts[i]
	}
	if err := binary.Write(t.to, binary.LittleEndian, t.starts); err != nil {
		return err
	}
	t.postings = slices.Grow(t.postings[:0], s.nonzeros)[:s.nonzeros]
	for i := s.from; i < s.from+s.n; i++ {
		columns, values := t.rows.Row(i)
		for j, c := range columns {
			at := &t.starts[t.x.number[c]]
			t.postings[*at] = posting{uint32(i - s.from), values[j]}
			*at++
		}
	}
	if s.nonzeros == 0 {
		return nil
	}
	_, err := t.to.Write(unsafe.Slice((*byte)(unsafe.Pointer(&t.postings[0])), postingBytes*s.nonzeros))
	return err
}

// in returns where the postings of columns begin in a slab, and the postings.
func (x *index) in(s *slab) (starts []uint32, postings []posting) {
	data := x.file.Bytes()[s.at:]
	starts = unsafe.Slice((*uint32)(unsafe.Pointer(&data[0])), x.used+1)
	if s.nonzeros > 0 {
		postings = unsafe.Slice((*posting)(unsafe.Pointer(&data[4*(x.used+1)])), s.nonzeros)
	}
	return starts, postings
}

// close unmaps the index and removes it.
func (x *index) close() {
	if x.file != nil {
		x.file.Close()
	}
	os.Remove(x.path)
}

// least is the memory that a build takes at least.
func (r *run) least() int64 {
	return leastOf(int64(r.rows.Len()), int64(r.rows.Columns()), r.rows.Nonzeros(), int64(r.k), int64(r.Threads))
}

func leastOf(n, columns, nonzeros, k, threads int64) int64 {
	slab := min(slabPostings, nonzeros, (nonzeros/n+1)*mostSlab)
	thread := 8*mostSlab + unitRows*8*k + 4*columns
	return 16<<20 + 12*columns + (20+4*levels)*n + postingBytes*slab + threads*thread
}

// enough refuses a memory limit below the least. The threads that it has room for are fewer
// where it is low.
func (r *run) enough() error {
	for r.Threads > 1 && r.least() > r.opts.Memory {
		r.Threads--
	}
	if need := r.least(); need > r.opts.Memory {
		const mib = 1 << 20
		return fmt.Errorf("%w: %d sparse rows of %d columns with k=%d need %.1f MiB, the limit is %.1f MiB",
			builder.ErrMemory, r.rows.Len(), r.rows.Columns(), r.k, float64(need+mib/10)/mib, float64(r.opts.Memory)/mib)
	}
	return nil
}
