package offheap

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime/debug"
	"testing"
)

func TestMake(t *testing.T) {
	for _, n := range []int{0, 1, 1000, 5 << 20} {
		b := Make[uint64](n)
		if len(b.Slice) != n {
			t.Fatalf("%d elements, want %d", len(b.Slice), n)
		}
		for i, x := range b.Slice {
			if x != 0 {
				t.Fatalf("element %d is %d", i, x)
			}
			b.Slice[i] = uint64(i)
		}
		b.Free()
		if b.Slice != nil {
			t.Error("freed, and still there")
		}
		b.Free()
	}
}

// TestLedger: blocks within the limit are anonymous, those beyond it files that
// leave nothing behind, and both hold what is written to them.
func TestLedger(t *testing.T) {
	l := Ledger{Limit: 1 << 20, Dir: t.TempDir()}
	var blocks []Block[uint64]
	for i := range 5 {
		b, err := Take[uint64](&l, 1<<16) // half the limit
		if err != nil {
			t.Fatal(err)
		}
		for j := range b.Slice {
			if b.Slice[j] != 0 {
				t.Fatal("not zero")
			}
			b.Slice[j] = uint64(i * j)
		}
		blocks = append(blocks, b)
	}
	if l.Used() != 1<<20 || l.Disk() != 3<<19 {
		t.Errorf("%d bytes in memory and %d on disk, want 1 and 1.5 MiB", l.Used(), l.Disk())
	}
	for i, b := range blocks {
		for j, x := range b.Slice {
			if x != uint64(i*j) {
				t.Fatalf("element %d of block %d is %d", j, i, x)
			}
		}
		b.Free()
	}
	if l.Used() != 0 || l.Disk() != 0 {
		t.Errorf("%d bytes and %d on disk in use after all were freed", l.Used(), l.Disk())
	}
	if files, err := os.ReadDir(l.Dir); err != nil || len(files) != 0 {
		t.Errorf("%v, %v left", files, err)
	}
}

func TestLedgerWithoutRoom(t *testing.T) {
	l := Ledger{Limit: 1, Dir: filepath.Join(t.TempDir(), "not there")}
	if _, err := Take[uint64](&l, 1<<16); !errors.Is(err, fs.ErrNotExist) {
		t.Error(err)
	}
}

// TestHoldHeap: what blocks take is taken off the limit of Go's heap, and given back.
func TestHoldHeap(t *testing.T) {
	heap := func() int64 { return debug.SetMemoryLimit(-1) }
	before := heap()
	defer func() {
		HoldHeap(0)
		if heap() != before {
			t.Errorf("the heap may have %d bytes in the end, want %d", heap(), before)
		}
	}()
	const limit = 1 << 30
	HoldHeap(limit)
	whole := heap()
	if whole > limit || whole < limit/2 {
		t.Errorf("%d bytes are left of %d", whole, limit)
	}
	small, large := Make[byte](1<<19), Make[uint64](8<<20)
	if got := heap(); got != whole-64<<20 {
		t.Errorf("%d bytes beside a block of 64 MiB, want %d", got, whole-64<<20)
	}
	small.Free()
	large.Free()
	large.Free()
	if heap() != whole {
		t.Errorf("%d bytes once it is freed, want %d", heap(), whole)
	}
	if Observe(GoBytes() + 100<<20); heap() > whole-80<<20 {
		t.Errorf("%d bytes beside 100 MiB of others', %d without", heap(), whole)
	}
	if Observe(0); heap() != whole {
		t.Errorf("%d bytes once they are gone, want %d", heap(), whole)
	}
	large = Make[uint64](1 << 28)
	if heap() < 1 {
		t.Errorf("%d bytes are left for Go", heap())
	}
	large.Free()
}

// TestLargeBlocksFindRoom: what Go holds and no longer needs is given back before a large
// block is there to be filled.
func TestLargeBlocksFindRoom(t *testing.T) {
	defer HoldHeap(0)
	const limit = 400 << 20
	HoldHeap(limit)
	garbage := make([]byte, 300<<20)
	for i := 0; i < len(garbage); i += 4096 {
		garbage[i] = 1
	}
	if garbage[0] == 0 || GoBytes() < 300<<20 {
		t.Fatalf("%d bytes are Go's", GoBytes())
	}
	garbage = nil
	block := Make[byte](200 << 20)
	defer block.Free()
	if went := GoBytes() + 200<<20; went > limit {
		t.Errorf("%d bytes with a block of 200 MiB, want at most %d", went, limit)
	}
}

// TestFill: space that is taken by writing is there, and is zeros.
func TestFill(t *testing.T) {
	const size = 2<<20 + 5
	f, err := os.Create(filepath.Join(t.TempDir(), "filled"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if err := fill(f, size); err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(f.Name())
	if err != nil || len(data) != size || bytes.Count(data, []byte{0}) != size {
		t.Errorf("%d bytes, %v, want %d zeros", len(data), err, size)
	}
}
