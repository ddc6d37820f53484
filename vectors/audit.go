package vectors

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"math"
	"slices"
	"sync"

	"github.com/cespare/xxhash/v2"

	"github.com/knng/knng/vectors/internal/simd"
)

// AuditOptions tunes an audit. The zero value works.
type AuditOptions struct {
	Context  context.Context
	Threads  int            // 0 is 1
	Progress func(rows int) // called with the rows of each batch
	Hashes   []uint64       // memory for a hash of each row; nil: Audit allocates it
}

// An AuditReport is the result of one pass over all rows. Row lists ascend.
type AuditReport struct {
	NonFinite  []uint32 // rows with a NaN or an infinity
	Zero       []uint32 // rows of zeros
	Constant   []uint32 // other rows whose elements are all equal
	TooLarge   []uint32 // finite rows whose squared norm is beyond LargestNorm: their distances would overflow
	Duplicates int      // rows equal to an earlier one, by 64-bit hash
	Checksum   uint64   // xxhash64 over the xxhash64 of every row, in order
}

// batchRows is how many rows a thread reads at a time: about a megabyte, however long
// they are.
func batchRows(src Source) int {
	const most, bytes = 1024, 1 << 20
	return min(most, max(1, bytes/(src.Dim()*src.Type().Size())))
}

// Audit reads every row once. It keeps 8 bytes a row.
func Audit(src Source, opts AuditOptions) (*AuditReport, error) {
	a := newAuditor(src, opts)
	if err := a.run(); err != nil {
		return nil, err
	}
	for _, list := range []*[]uint32{&a.report.NonFinite, &a.report.Zero, &a.report.Constant, &a.report.TooLarge} {
		slices.Sort(*list)
	}
	sum := newHashSum()
	sum.add(a.hashes...)
	a.report.Checksum = sum.Sum64()
	var err error
	a.report.Duplicates, err = repeats(a.hashes, opts.Threads)
	return &a.report, err
}

// Checksum computes AuditReport.Checksum alone. It keeps a megabyte of hashes, however many rows there
// are, and reads only Context, Threads and Progress of opts.
func Checksum(src Source, opts AuditOptions) (uint64, error) {
	const most = 1 << 17
	hashes := make([]uint64, min(most, src.Len()))
	sum := newHashSum()
	for first := 0; first < src.Len(); first += most {
		part := window{src, first, min(most, src.Len()-first)}
		opts.Hashes = hashes[:part.n]
		a := newAuditor(part, opts)
		if err := a.run(); err != nil {
			return 0, err
		}
		sum.add(a.hashes...)
	}
	return sum.Sum64(), nil
}

// window is some consecutive rows of a source.
type window struct {
	Source
	first, n int
}

func (w window) Len() int { return w.n }

func (w window) ReadRows(first int, dst []byte) error { return w.Source.ReadRows(w.first+first, dst) }

type auditor struct {
	src    Source
	opts   AuditOptions
	hashes []uint64
	batch  int // rows

	mu     sync.Mutex
	next   int
	err    error
	report AuditReport
}

func newAuditor(src Source, opts AuditOptions) *auditor {
	a := &auditor{src: src, opts: opts, hashes: opts.Hashes, batch: batchRows(src)}
	if len(a.hashes) != src.Len() {
		a.hashes = make([]uint64, src.Len())
	}
	if a.opts.Context == nil {
		a.opts.Context = context.Background()
	}
	return a
}

func (a *auditor) run() error {
	var g sync.WaitGroup
	for range max(1, a.opts.Threads) {
		g.Go(func() {
			if err := Guard(a.work); err != nil { // hashes may stand in a file
				a.fail(err)
			}
		})
	}
	g.Wait()
	return a.err
}

// work takes batch after batch.
func (a *auditor) work() error {
	size := a.src.Dim() * a.src.Type().Size()
	buf := make([]byte, a.batch*size)
	values := make([]float32, a.src.Dim())
	squaredNorm, err := squaredNorms(a.src.Type(), a.src.Dim())
	if err != nil {
		return err
	}
	for {
		from, n := a.take()
		if n == 0 {
			return nil
		}
		if err := a.src.ReadRows(from, buf[:n*size]); err != nil {
			return err
		}
		var found AuditReport
		for i := range n {
			row := buf[i*size : (i+1)*size]
			found.look(uint32(from+i), a.src.Type(), row, values, squaredNorm)
			a.hashes[from+i] = xxhash.Sum64(row)
		}
		a.add(&found, n)
	}
}

// take hands out the next batch; n is 0 when there is none or after an error.
func (a *auditor) take() (from, n int) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if err := a.opts.Context.Err(); err != nil && a.err == nil {
		a.err = err
	}
	if a.err != nil {
		return 0, 0
	}
	from = a.next
	n = min(a.batch, a.src.Len()-from)
	a.next += n
	return from, n
}

func (a *auditor) fail(err error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.err == nil {
		a.err = err
	}
}

func (a *auditor) add(found *AuditReport, n int) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.report.NonFinite = append(a.report.NonFinite, found.NonFinite...)
	a.report.Zero = append(a.report.Zero, found.Zero...)
	a.report.Constant = append(a.report.Constant, found.Constant...)
	a.report.TooLarge = append(a.report.TooLarge, found.TooLarge...)
	if a.opts.Progress != nil {
		a.opts.Progress(n)
	}
}

// look notes the faults of one row. Negative zeros are made positive, so
// that equal rows have equal bytes.
func (r *AuditReport) look(row uint32, t Type, raw []byte, values []float32, squaredNorm func(row []byte) float64) {
	if t == Uint8 || t == Int8 {
		if allZero(raw) {
			r.Zero = append(r.Zero, row)
		} else if allEqual(raw, 1) {
			r.Constant = append(r.Constant, row)
		}
		return
	}
	norm := squaredNorm(raw)
	switch {
	case math.IsNaN(norm) || math.IsInf(norm, 0):
		r.NonFinite = append(r.NonFinite, row)
	case norm > LargestNorm:
		r.TooLarge = append(r.TooLarge, row)
	case norm == 0:
		r.Zero = append(r.Zero, row)
	case allEqual(raw, t.Size()):
		r.Constant = append(r.Constant, row)
	}
	if hasNegativeZero(t, raw) {
		unsign(t, raw, values)
	}
}

// unsign makes negative zeros positive.
func unsign(t Type, raw []byte, values []float32) {
	Decode(t, raw, values)
	for i := range values {
		values[i] += 0 // -0 + 0 is +0
	}
	Encode(t, values, raw) // what was decoded can be encoded
}

// squaredNorms returns a function that computes the squared norm of a row of floats, for
// one goroutine.
func squaredNorms(t Type, dim int) (func(row []byte) float64, error) {
	kernel, err := simd.Choose()
	if err != nil {
		return nil, fmt.Errorf("vectors: %w", err)
	}
	dot := kernel.DotF32
	if t == Float16 {
		dot = kernel.DotF16
	}
	self, out := []uint32{0}, make([]float64, 1)
	return func(row []byte) float64 {
		dot(row, row, len(row), dim, self, out)
		return out[0]
	}, nil
}

// hasNegativeZero reports whether a row of floats has one, 32 bytes at a time.
func hasNegativeZero(t Type, raw []byte) bool {
	lowest := uint64(1<<48 | 1<<32 | 1<<16 | 1) // bit of each element
	if t == Float32 {
		lowest = 1<<32 | 1
	}
	signs := lowest << (8*t.Size() - 1)
	has := func(eight []byte) uint64 {
		x := binary.LittleEndian.Uint64(eight) ^ signs // 0 where an element was a negative zero
		return (x - lowest) &^ x & signs
	}
	for ; len(raw) >= 32; raw = raw[32:] {
		if has(raw)|has(raw[8:])|has(raw[16:])|has(raw[24:32]) != 0 {
			return true
		}
	}
	var rest [32]byte
	copy(rest[:], raw) // what fills it up is positive
	return has(rest[:])|has(rest[8:])|has(rest[16:])|has(rest[24:]) != 0
}

// LargestNorm is the squared norm up to which distances of two rows are below the largest
// float32: a quarter of it, less the rounding errors of their differences.
const LargestNorm = math.MaxFloat32 / 4 * (1 - 1e-6)

// allEqual reports whether all elements of a row, of so many bytes each, are the first one.
func allEqual(raw []byte, size int) bool { return bytes.Equal(raw[size:], raw[:len(raw)-size]) }

func allZero(raw []byte) bool {
	for _, x := range raw {
		if x != 0 {
			return false
		}
	}
	return true
}
