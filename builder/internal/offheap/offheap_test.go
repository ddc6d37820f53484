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

// TestTakeFile: a block beyond the limit has the bytes of its file, which has holes before and none behind; so where
// the space is taken by writing. Writes to the block stay in the file.
func TestTakeFile(t *testing.T) {
	for _, byWriting := range []bool{false, true} {
		path := filepath.Join(t.TempDir(), "f")
		f, err := os.Create(path)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		const size = 3<<20 + 8
		if _, err := f.WriteAt([]byte{1, 2, 3}, 1<<20+5); err != nil {
			t.Fatal(err)
		}
		if err := f.Truncate(size + 100); err != nil {
			t.Fatal(err)
		}
		if byWriting {
			if err := fill(f, size); err != nil {
				t.Fatal(err)
			}
		}
		b, mapped, err := TakeFile[uint8](&Ledger{Limit: 1}, f, size)
		if err != nil || !mapped || len(b.Slice) != size {
			t.Fatalf("%d bytes, mapped %v, %v", len(b.Slice), mapped, err)
		}
		if got := b.Slice[1<<20+4 : 1<<20+9]; !bytes.Equal(got, []byte{0, 1, 2, 3, 0}) {
			t.Errorf("the block has %v", got)
		}
		if err := noHoles(f, size); err != nil {
			t.Error(err)
		}
		b.Slice[7] = 9
		b.Free()
		if data, err := os.ReadFile(path); err != nil || len(data) != size+100 || data[7] != 9 || data[1<<20+6] != 2 {
			t.Errorf("%d bytes are in the file, %v", len(data), err)
		}
	}
	if b, mapped, err := TakeFile[uint8](&Ledger{}, nil, 10); err != nil || mapped || len(b.Slice) != 10 {
		t.Errorf("with room: mapped %v, %v", mapped, err)
	}
}
