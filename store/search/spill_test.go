package search

import (
	"context"
	"io"
	"os"
	"path/filepath"
	"testing"
)

type tempFile struct{ *os.File }

func (f tempFile) Abort() { f.Close() }

// TestSpill: links that are shared out come back by range, in their order, and one that
// changed on the disk is an error.
func TestSpill(t *testing.T) {
	f, err := os.Create(filepath.Join(t.TempDir(), "spill"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	const places, size = 10_000, 700
	s := (&maker{order: make([]uint32, places), limit: 1 << 20}).newSpill(tempFile{f}, size)
	one := s.newSpiller()
	type link struct {
		to, from uint32
		rank     uint8
	}
	var want [(places + size - 1) / size][]link
	for i := range uint32(50_000) {
		l := link{i * 7919 % places, i, uint8(i % 20)}
		want[l.to/size] = append(want[l.to/size], l)
		if err := one.add(l.to, l.from, l.rank); err != nil {
			t.Fatal(err)
		}
	}
	if err := one.flushAll(); err != nil {
		t.Fatal(err)
	}
	for i, links := range want {
		var got []arc
		if err := s.arcsOf(i*size, func(arcs []arc) { got = append(got, arcs...) }); err != nil {
			t.Fatal(err)
		}
		for j, l := range links {
			if j >= len(got) || got[j] != arcOf(int(l.to)-i*size, l.from, int(l.rank)) {
				t.Fatalf("range %d: %d links, the first other than wanted is %d", i, len(got), j)
			}
		}
	}
	if _, err := f.WriteAt([]byte{255}, 100); err != nil {
		t.Fatal(err)
	}
	failed := 0
	for i := range want {
		if err := s.arcsOf(i*size, func([]arc) {}); err != nil {
			failed++
		}
	}
	if failed != 1 {
		t.Errorf("%d ranges fail after a byte changed, want 1", failed)
	}
}

// TestSpilledLinks: links that were shared out to a file are those of memory, for any number of
// threads.
func TestSpilledLinks(t *testing.T) {
	s := line(t, 20_000)
	id := s.identity()
	table := func(m *maker) []byte {
		all := make([]byte, id.tableBytes())
		if _, err := m.table(func(first int, table []byte) error {
			copy(all[4*id.width*first:], table)
			return nil
		}); err != nil {
			t.Fatal(err)
		}
		return all
	}
	want := table(s.maker(id))
	for _, threads := range []int{1, 3} {
		m := s.maker(id)
		m.threads, m.limit = threads, 1
		made := 0
		m.scratch = func() (scratchFile, error) {
			made++
			f, err := os.CreateTemp(t.TempDir(), "")
			return tempFile{f}, err
		}
		if got := table(m); string(got) != string(want) {
			t.Errorf("%d threads: other links", threads)
		}
		if made != 1 {
			t.Errorf("%d threads: %d scratch files, want 1", threads, made)
		}
		if m.scratch = nil; string(table(m)) != string(want) {
			t.Errorf("%d threads, no scratch file: other links", threads)
		}
	}
	for _, threads := range []int{1, 2, 7} {
		m := s.maker(id)
		m.threads = threads
		if string(table(m)) != string(want) {
			t.Errorf("%d threads: other links", threads)
		}
	}
	m := s.maker(id)
	m.limit, m.scratch = 1, func() (scratchFile, error) { return nil, io.ErrShortWrite }
	if _, err := m.table(nil); err == nil {
		t.Error("no scratch file, and no error")
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	m.ctx = ctx
	m.scratch = func() (scratchFile, error) {
		f, err := os.CreateTemp(t.TempDir(), "")
		return tempFile{f}, err
	}
	if _, err := m.table(nil); err == nil {
		t.Error("stopped, and no error")
	}
}
