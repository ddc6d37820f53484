package oplog

import (
	"encoding/hex"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/knng/knng/store"
	"github.com/knng/knng/store/internal/rooted"
	"github.com/knng/knng/store/living/internal/disk"
	"github.com/knng/knng/vectors"
)

var update = flag.Bool("update", false, "write testdata/log.golden anew")

var transactions = [][]Op{
	{{Put, NoRow, "a", []byte{1, 2, 3}}, {Put, NoRow, "", []byte{4, 5, 6}}},
	{{Delete, 8, "", nil}},
	{{Put, 7, "a", []byte{9, 8, 7}}, {Delete, 300, "", nil}, {Put, NoRow, "zwölf", []byte{0, 0, 255}}},
}

// writeLog writes a log of the transactions and returns its bytes and where each ends.
func writeLog(t testing.TB, dir string) (data []byte, ends []int) {
	t.Helper()
	home, err := rooted.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer home.Close()
	w, err := Create(disk.In(home), "log", Header{Number: 3, FirstOp: 5, FirstRow: 7, Type: vectors.Uint8, Dim: 3})
	if err != nil {
		t.Fatal(err)
	}
	for _, ops := range transactions {
		if err := w.Append(ops); err != nil {
			t.Fatal(err)
		}
		end, _ := w.End()
		ends = append(ends, int(end))
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if data, err = os.ReadFile(filepath.Join(dir, "log")); err != nil {
		t.Fatal(err)
	}
	return data, ends
}

// read reads a log as the writer does, or as a reader, and returns the operations.
func read(t testing.TB, data []byte, recover bool) (ops []Op, at int64, err error) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "log")
	if err := os.WriteFile(path, data, 0o666); err != nil {
		t.Fatal(err)
	}
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	r, err := NewReader(f, "log")
	if err != nil {
		return nil, 0, err
	}
	take := func(_ uint64, op *Op) error {
		one := *op
		one.Vector = append([]byte(nil), op.Vector...)
		ops = append(ops, one)
		return nil
	}
	end, err := r.Durable()
	if err == nil {
		err = r.To(end, take)
	}
	if err == nil && (recover || r.Torn()) {
		err = r.Recover(take)
	}
	at, _ = r.At()
	return ops, at, err
}

// withMark sets the durable length of a log.
func withMark(data []byte, length int) []byte {
	data = append([]byte(nil), data...)
	m := mark(data[fixedBytes:marksAt], int64(length))
	copy(data[marksAt:], m)
	copy(data[marksAt+markBytes:], m)
	return data
}

func first(n int) (ops []Op) {
	for _, t := range transactions[:n] {
		ops = append(ops, t...)
	}
	return ops
}

// TestGolden: the format of a log.
func TestGolden(t *testing.T) {
	data, _ := writeLog(t, t.TempDir())
	got, golden := hex.Dump(data), filepath.Join("testdata", "log.golden")
	if *update {
		if err := os.WriteFile(golden, []byte(got), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if got != strings.ReplaceAll(string(want), "\r\n", "\n") {
		t.Errorf("the log is\n%s\nwant\n%s", got, want)
	}
	ops, _, err := read(t, data, false)
	if err != nil || !reflect.DeepEqual(ops, first(3)) {
		t.Errorf("%v, %v", ops, err)
	}
}

// TestCut: wherever a log ends behind its durable length, whole frames count and the torn last
// one does not; before the durable length it is an error.
func TestCut(t *testing.T) {
	data, ends := writeLog(t, t.TempDir())
	bounds := append([]int{headerBytes}, ends...)
	for durable, from := range bounds {
		for size := from - 1; size <= len(data); size++ {
			ops, at, err := read(t, withMark(data, from)[:size], true)
			if size < from {
				if !errors.Is(err, store.ErrCorrupt) {
					t.Fatalf("%d bytes of which %d are durable: error %v", size, from, err)
				}
				continue
			}
			whole := durable
			for whole < len(ends) && ends[whole] <= size {
				whole++
			}
			if err != nil || len(ops) != len(first(whole)) || at != int64(bounds[whole]) {
				t.Fatalf("%d bytes of which %d are durable: %d operations up to %d, error %v; want %d", size, from, len(ops), at, err, len(first(whole)))
			}
		}
	}
}

// TestDamaged: a byte that changed is an error, or, in the last frame behind the durable
// length, a torn frame; it is never an operation.
func TestDamaged(t *testing.T) {
	data, ends := writeLog(t, t.TempDir())
	for _, durable := range append([]int{headerBytes}, ends...) {
		marked := withMark(data, durable)
		for at := range data {
			for _, flip := range []byte{1, 0x80, 0xff} {
				damaged := append([]byte(nil), marked...)
				damaged[at] ^= flip
				ops, _, err := read(t, damaged, true)
				mark := at >= marksAt && at < headerBytes // of which there are two
				last := at >= max(durable, ends[len(ends)-2])
				switch {
				case mark && err == nil && len(ops) == len(first(3)):
				case last && err == nil && len(ops) == len(first(2)):
				case !errors.Is(err, store.ErrCorrupt):
					t.Fatalf("byte %d of %d, %d durable: %d operations, error %v", at, len(data), durable, len(ops), err)
				}
			}
		}
	}
}

// TestTorn: a reader has all operations where one of the two durable lengths changed, which may be the larger.
func TestTorn(t *testing.T) {
	data, ends := writeLog(t, t.TempDir())
	for at := marksAt; at < headerBytes; at++ {
		damaged := append([]byte(nil), data...)
		damaged[at] ^= 1
		if ops, end, err := read(t, damaged, false); err != nil || len(ops) != len(first(3)) || end != int64(ends[2]) {
			t.Errorf("byte %d: %d operations up to %d, error %v", at, len(ops), end, err)
		}
	}
}

// TestTwice: frames behind a frame of another log, or out of their order, are damage.
func TestTwice(t *testing.T) {
	data, ends := writeLog(t, t.TempDir())
	again := append(append([]byte(nil), data...), data[ends[1]:]...)
	if _, _, err := read(t, again, true); !errors.Is(err, store.ErrCorrupt) {
		t.Errorf("a frame twice: %v", err)
	}
	out := append(append([]byte(nil), data[:headerBytes]...), data[ends[0]:]...)
	if _, _, err := read(t, withMark(out, len(out)), false); !errors.Is(err, store.ErrCorrupt) {
		t.Errorf("a frame left out: %v", err)
	}
}

func FuzzLog(f *testing.F) {
	data, ends := writeLog(f, f.TempDir())
	f.Add(data)
	f.Add(withMark(data, headerBytes))
	f.Add(data[:ends[0]+20])
	f.Fuzz(func(t *testing.T, data []byte) {
		ops, at, err := read(t, data, true)
		if err != nil && !errors.Is(err, store.ErrCorrupt) {
			t.Errorf("error %v", err)
		}
		if at > int64(len(data)) {
			t.Errorf("read up to %d of %d bytes, %d operations", at, len(data), len(ops))
		}
	})
}

func Example() {
	op := Op{Kind: Put, Row: NoRow, ID: "a", Vector: []byte{1, 2}}
	fmt.Printf("% x\n", appendOp(nil, &op))
	// Output: 01 00 01 61 01 02
}
