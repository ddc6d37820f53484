package store

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/knng/knng/store/internal/block"
	"github.com/knng/knng/store/internal/view"
	"github.com/knng/knng/vectors"
)

// listed reads one list by a way of looking it up.
func listed(with func(Row, func(neighbors, keys []byte)) error, row int) (neighbors, keys []byte, err error) {
	err = with(Row(row), func(ns, ks []byte) { neighbors, keys = bytes.Clone(ns), bytes.Clone(ks) })
	return neighbors, keys, err
}

// sameLists compares what the view gives with what Pebble gives.
func sameLists(t *testing.T, l *lists) {
	t.Helper()
	if l.view == nil {
		t.Fatal("there is no view")
	}
	for row := range l.Rows {
		ns, ks, err := listed(l.with, row)
		must(t, err)
		wantNs, wantKs, err := listed(l.withPebble, row)
		must(t, err)
		if !bytes.Equal(ns, wantNs) || !bytes.Equal(ks, wantKs) {
			t.Fatalf("row %d: %x %x by the view, %x %x by Pebble", row, ns, ks, wantNs, wantKs)
		}
	}
}

// TestViewAgainstPebble: lists of all rows, isolated ones too, and in-neighbors,
// in one table and in several.
func TestViewAgainstPebble(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	rng := rand.New(rand.NewPCG(seed, 0))
	for _, n := range []int{2, 16, 17, 300, 3000} {
		dir, _ := scattered(t, rng, n, min(n-1, 1+rng.IntN(8)))
		build(t, dir, nil)
		s, err := Open(dir, nil)
		must(t, err)
		sameLists(t, s.lists)
		_, err = s.InNeighbors(0, nil)
		must(t, err)
		sameLists(t, s.in.lists)
		must(t, s.Close())
		sound(t, dir)
	}
}

func TestViewOfSeveralTables(t *testing.T) {
	const n = 250
	dir := filepath.Join(t.TempDir(), "s")
	d := open(t, dir, tiny(n))
	d.tableBytes = 1 << 10
	finish(t, d, n, false)
	s, err := Open(dir, nil)
	must(t, err)
	defer s.Close()
	if s.lists.view.Tables() < 3 || !s.Info().View {
		t.Fatalf("%d tables", s.lists.view.Tables())
	}
	sameLists(t, s.lists)
	sound(t, dir)
}

// TestViewDeleted: without it lookups go through Pebble, and it can be made again,
// byte for byte.
func TestViewDeleted(t *testing.T) {
	const n = 120
	dir := finished(t, n, false)
	path := filepath.Join(dir, viewName)
	want, err := os.ReadFile(path)
	must(t, err)
	must(t, os.Remove(path))
	s, err := Open(dir, nil)
	must(t, err)
	defer s.Close()
	if s.Info().View {
		t.Error("a view that is not there")
	}
	neighbors, _, err := s.Keyed(5, nil, nil)
	if wantNs, _ := line(n, 5); err != nil || !slices.Equal(neighbors, wantNs) {
		t.Errorf("row 5: %v %v", neighbors, err)
	}
	if report := sound(t, dir); !strings.Contains(strings.Join(report.Notes, " "), "no view") {
		t.Errorf("check says %q", report.Notes)
	}
	must(t, BuildView(t.Context(), dir))
	if got, err := os.ReadFile(path); err != nil || !bytes.Equal(got, want) {
		t.Errorf("made again it is another file: %v", err)
	}
	if report := sound(t, dir); report.View != (n+15)/16 {
		t.Errorf("check says %d blocks", report.View)
	}
}

// TestViewOfCompressedTables: there is none.
func TestViewOfCompressedTables(t *testing.T) {
	const n = 4000
	d := open(t, filepath.Join(t.TempDir(), "s"), tiny(n))
	defer d.Close()
	w := newBlocks(d, tagAdjacency, block.OutCount)
	w.b.plain = false
	for row := range n {
		must(t, w.add(line(n, row)))
	}
	must(t, w.commit())
	shape := Shape{Rows: n, K: 2, Lists: n}
	must(t, d.Record(block.ShapeRecord, shape))
	if err := d.engine.publishView(t.Context(), d.fs, d.home, block.Out(shape)); !errors.Is(err, errNotVerbatim) {
		t.Errorf("error %v, want errNotVerbatim", err)
	}
	must(t, sealing{d}.makeView(t.Context()))
	if left, _ := filepath.Glob(filepath.Join(d.dir, viewName+"*")); len(left) > 0 {
		t.Errorf("%v is left", left)
	}
}

// TestViewNamesDamage: the error says which file and which rows.
func TestViewNamesDamage(t *testing.T) {
	dir := finished(t, 120, false)
	s, err := Open(dir, nil)
	must(t, err)
	defer s.Close()
	entry, err := s.lists.view.Entry(3)
	must(t, err)
	path, at := entry.Table, entry.Byte
	f, err := os.OpenFile(path, os.O_RDWR, 0) // a large one is not read when it is opened
	must(t, err)
	_, err = f.WriteAt([]byte{entry.Block[40] ^ 4}, int64(at+40))
	must(t, errors.Join(err, f.Close()))
	for row := range 120 {
		_, _, err := s.Keyed(Row(row), nil, nil)
		if inBlock := row/16 == 3; inBlock != errors.Is(err, ErrCorrupt) {
			t.Errorf("row %d: %v", row, err)
		} else if inBlock && (!strings.Contains(err.Error(), path) || !strings.Contains(err.Error(), "rows 48 to 63")) {
			t.Errorf("row %d: %v does not name %s and the rows", row, err, path)
		}
	}
}

// TestViewSwapped: entries that stand at one another's places are found, though
// each is of a sound block.
func TestViewSwapped(t *testing.T) {
	dir := finished(t, 120, false)
	path := filepath.Join(dir, viewName)
	data, err := os.ReadFile(path)
	must(t, err)
	a, b := data[view.HeaderBytes(1):][:view.EntryBytes], data[view.HeaderBytes(1)+view.EntryBytes:][:view.EntryBytes]
	for i := range a {
		a[i], b[i] = b[i], a[i]
	}
	must(t, os.WriteFile(path, data, 0o666))
	s, err := Open(dir, nil)
	must(t, err)
	defer s.Close()
	if _, err := s.Neighbors(0, nil); !errors.Is(err, ErrCorrupt) {
		t.Errorf("row 0: %v", err)
	}
}

// TestViewTruncated: a table that is cut while it is mapped is an error, not the
// end of the process.
func TestViewTruncated(t *testing.T) {
	dir, _ := scattered(t, rand.New(rand.NewPCG(1, 1)), 3000, 8)
	s, err := Open(dir, nil)
	must(t, err)
	defer s.Close()
	entry, err := s.lists.view.Entry(0)
	must(t, err)
	must(t, os.Truncate(entry.Table, 4096))
	if _, err := s.Neighbors(2999, nil); !errors.Is(err, vectors.ErrFault) {
		t.Errorf("row 2999: %v", err)
	}
}

// TestViewConcurrently: many touch the same blocks for the first time.
func TestViewConcurrently(t *testing.T) {
	const n = 3000
	dir, _ := scattered(t, rand.New(rand.NewPCG(1, 1)), n, 5)
	s, err := Open(dir, nil)
	must(t, err)
	defer s.Close()
	want := make([]string, n)
	must(t, s.EachKeyed(func(row Row, neighbors []uint32, keys []float32) error {
		want[row] = fmt.Sprint(neighbors, keys)
		return nil
	}))
	var g sync.WaitGroup
	for worker := range 8 {
		g.Go(func() {
			for i := range n {
				row := (i*7 + worker) % n
				neighbors, keys, err := s.Keyed(Row(row), nil, nil)
				if got := fmt.Sprint(neighbors, keys); err != nil || got != want[row] {
					t.Errorf("row %d: %s %v, want %s", row, got, err, want[row])
				}
			}
		})
	}
	g.Wait()
}

// FuzzView: whatever stands in a view's file, a lookup gives the right list or an
// error. Changes are made to a sound view: at is where, data what is put there.
func FuzzView(f *testing.F) {
	const n = 100
	dir := finished(f, n, false)
	path := filepath.Join(dir, viewName)
	sound, err := os.ReadFile(path)
	must(f, err)
	f.Add(uint16(view.HeaderBytes(1)), binary.LittleEndian.AppendUint64(nil, 1<<view.OffsetBits))
	f.Add(uint16(view.HeaderBytes(1)), sound[view.HeaderBytes(1)+view.EntryBytes:][:view.EntryBytes])
	f.Add(uint16(16), []byte{17})
	f.Add(uint16(24), []byte{0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f})
	f.Add(uint16(len(sound)), []byte("more"))
	f.Fuzz(func(t *testing.T, at uint16, data []byte) {
		changed := bytes.Clone(sound)
		if int(at) <= len(changed) {
			changed = append(changed[:at], data...)
			changed = append(changed, sound[min(len(changed), len(sound)):]...)
		}
		must(t, os.WriteFile(path, changed, 0o666))
		lookups(t, dir, n)
	})
}

// TestBadViewIsMadeAgain: a view that is damaged is an error that says what to do, and
// that helps; one of another version is none.
func TestBadViewIsMadeAgain(t *testing.T) {
	dir := finished(t, 120, false)
	path := filepath.Join(dir, viewName)
	sound, err := os.ReadFile(path)
	must(t, err)
	change := func(at int) {
		data := append([]byte(nil), sound...)
		data[at] ^= 0xff
		must(t, os.WriteFile(path, data, 0o666))
	}
	change(20)
	if _, err := Open(dir, nil); !errors.Is(err, ErrCorrupt) || !strings.Contains(err.Error(), "analyze --view") {
		t.Errorf("damaged: %v", err)
	}
	must(t, BuildView(t.Context(), dir))
	again, err := os.ReadFile(path)
	must(t, err)
	if string(again) != string(sound) {
		t.Error("made again it is another file")
	}
	change(8)
	s, err := Open(dir, nil)
	must(t, err)
	defer s.Close()
	if s.Info().View {
		t.Error("a view of another version is used")
	}
	if list, err := s.Neighbors(5, nil); err != nil || len(list) != 2 {
		t.Errorf("row 5: %v %v", list, err)
	}
}
