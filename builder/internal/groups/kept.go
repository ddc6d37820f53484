package groups

import (
	"encoding/binary"
	"fmt"
	"os"
	"slices"
	"unsafe"

	"github.com/cespare/xxhash/v2"

	"github.com/knng/knng/builder/internal/offheap"
)

// A kept is the file of a division's assignments. A process that resumes after an interruption reads it
// instead of finding the assignments again, which is a quarter of a division of 100,000,000 rows.
//
//	u32 leader    Overlap of each row, in the machine's order of bytes
//	u64 identity  of the division
//	u64 chunk     rows that are found together
//	u64 hash      of each chunk: xxhash64 of the identity and its leaders; 0 for a chunk that is not found yet
//
// Nothing is synced: a chunk torn by a crash has another hash, and is found again.
type kept struct {
	file     *os.File // nil: nothing is kept
	mapped   bool     // the assignments are mapped from the file
	division *Division
	assigned []uint32
	identity uint64
	chunk    int
	done     []bool // chunks that were found before
}

const keptHead = 16

// openKept opens or creates the file of a division.
func openKept(d *Division) (*kept, error) {
	k := &kept{division: d}
	if d.Keep == "" {
		return k, nil
	}
	k.identity = xxhash.Sum64String(fmt.Sprintf("leaders, version 1: seed %d, division %d, %d of %d leaders, %d rows",
		d.Seed, d.Number, d.Overlap, d.Leaders, d.Rows.Len()))
	var err error
	if k.file, err = os.OpenFile(d.Keep, os.O_RDWR|os.O_CREATE, 0o666); err != nil {
		return nil, fmt.Errorf("groups: %w", err)
	}
	return k, nil
}

// take returns memory for the assignments, with the chunks that the file has.
func (k *kept) take() (b offheap.Block[uint32], err error) {
	d := k.division
	n := d.Rows.Len() * d.Overlap
	if k.file == nil {
		b, err = offheap.Take[uint32](d.Memory, n)
	} else if b, k.mapped, err = offheap.TakeFile[uint32](d.Memory, k.file, n); err == nil {
		k.assigned = b.Slice
		k.load()
	}
	return b, err
}

// load reads the chunks of the file whose hashes match; none if the file cannot be read.
func (k *kept) load() {
	var head [keptHead]byte
	if _, err := k.file.ReadAt(head[:], k.headAt()); err != nil || binary.LittleEndian.Uint64(head[:]) != k.identity {
		return
	}
	chunk := binary.LittleEndian.Uint64(head[8:])
	if chunk < 1 || chunk > uint64(k.division.Rows.Len()) {
		return
	}
	k.divideBy(int(chunk))
	for i := range k.done {
		k.done[i] = k.holds(i)
	}
}

// divideBy sets the rows of a chunk. It forgets found chunks of another size.
func (k *kept) divideBy(chunk int) {
	if k.chunk != chunk {
		k.chunk = chunk
		k.done = make([]bool, (k.division.Rows.Len()+chunk-1)/chunk)
	}
}

// holds reads a chunk, and reports whether the file has it.
func (k *kept) holds(i int) bool {
	var hash [8]byte
	if _, err := k.file.ReadAt(hash[:], k.hashAt(i)); err != nil || binary.LittleEndian.Uint64(hash[:]) == 0 {
		return false
	}
	leaders := k.of(i)
	if !k.mapped {
		if _, err := k.file.ReadAt(bytesOf(leaders), int64(4*i*k.chunk*k.division.Overlap)); err != nil {
			return false
		}
	}
	return binary.LittleEndian.Uint64(hash[:]) == k.hash(leaders) &&
		!slices.ContainsFunc(leaders, func(l uint32) bool { return int(l) >= k.division.Leaders })
}

// whole reports whether the file has all chunks.
func (k *kept) whole() bool { return len(k.done) > 0 && !slices.Contains(k.done, false) }

// begin writes the head, if the file has another one; this sets all hashes to 0.
func (k *kept) begin(chunk int) error {
	same := k.chunk == chunk
	k.divideBy(chunk)
	if k.file == nil || same {
		return nil
	}
	tail := make([]byte, keptHead+8*len(k.done))
	binary.LittleEndian.PutUint64(tail, k.identity)
	binary.LittleEndian.PutUint64(tail[8:], uint64(chunk))
	err := k.file.Truncate(k.headAt())
	if err == nil {
		_, err = k.file.WriteAt(tail, k.headAt())
	}
	return err
}

// put writes a chunk that was found. Goroutines may put different chunks at the same time.
func (k *kept) put(i int) error {
	if k.file == nil {
		return nil
	}
	leaders := k.of(i)
	if !k.mapped {
		if _, err := k.file.WriteAt(bytesOf(leaders), int64(4*i*k.chunk*k.division.Overlap)); err != nil {
			return err
		}
	}
	_, err := k.file.WriteAt(binary.LittleEndian.AppendUint64(nil, k.hash(leaders)), k.hashAt(i))
	return err
}

// close closes the file and does not remove it.
func (k *kept) close() error {
	if k.file == nil {
		return nil
	}
	return k.file.Close()
}

// of returns the assignments of a chunk.
func (k *kept) of(i int) []uint32 {
	size := k.chunk * k.division.Overlap
	return k.assigned[i*size : min((i+1)*size, len(k.assigned))]
}

// hash returns the hash of a chunk's assignments; never 0.
func (k *kept) hash(leaders []uint32) uint64 {
	h := xxhash.NewWithSeed(k.identity)
	h.Write(bytesOf(leaders))
	return max(1, h.Sum64())
}

func (k *kept) headAt() int64 { return int64(4 * len(k.assigned)) }

func (k *kept) hashAt(i int) int64 { return k.headAt() + keptHead + int64(8*i) }

func bytesOf(leaders []uint32) []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(leaders))), 4*len(leaders))
}
