package pieces

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/knng/knng/vectors/objects/objectstest"
)

const run = "0123456789abcdef"

func write(t *testing.T, folder Folder, name string, sections map[uint64][]byte) {
	t.Helper()
	w, err := Create(folder, run, name)
	if err != nil {
		t.Fatal(err)
	}
	defer w.Abort()
	for key, data := range sections {
		w.Put(key, data)
	}
	if err := w.Note(len(sections)); err != nil {
		t.Fatal(err)
	}
	if err := w.Commit(); err != nil {
		t.Fatal(err)
	}
}

// TestSections: sections are read as they were written, whole or in chunks of records, from
// a disk and from an object store.
func TestSections(t *testing.T) {
	t.Run("local", func(t *testing.T) { sections(t, At(t.TempDir())) })
	t.Run("objects", func(t *testing.T) {
		objectstest.Start(t)
		folder := At(Join("test://runs", "run"))
		sections(t, folder)
		if names, err := folder.List("a"); err != nil || len(names) != 1 || names[0] != "b" {
			t.Errorf("list %q, %v", names, err)
		}
		if err := folder.Remove("a"); err != nil {
			t.Error(err)
		}
		if _, err := Open(folder, run, "a/b"); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("removed: %v", err)
		}
	})
}

func sections(t *testing.T, folder Folder) {
	rng := rand.New(rand.NewPCG(1, 1))
	sections := map[uint64][]byte{}
	for range 20 {
		data := make([]byte, 12*rng.IntN(300_000))
		for i := range data {
			data[i] = byte(rng.Uint32())
		}
		sections[rng.Uint64N(1000)] = data
	}
	write(t, folder, "a/b", sections)
	p, err := Open(folder, run, "a/b")
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	for key, want := range sections {
		got, err := p.Get(key, nil)
		if err != nil || !bytes.Equal(got, want) {
			t.Fatalf("section %d: %v", key, err)
		}
		got = got[:0]
		err = p.Each(key, 12, func(data []byte) error {
			if len(data)%12 != 0 {
				t.Errorf("a chunk of %d bytes", len(data))
			}
			got = append(got, data...)
			return nil
		})
		if err != nil || !bytes.Equal(got, want) {
			t.Fatalf("section %d in chunks: %v", key, err)
		}
	}
	var count int
	if err := p.Note(&count); err != nil || count != len(sections) {
		t.Fatalf("note %d: %v", count, err)
	}
}

// TestEveryByteCounts: whichever byte of a piece changes, and wherever it is cut, opening
// and reading it fails and names it.
func TestEveryByteCounts(t *testing.T) {
	dir := t.TempDir()
	folder := Local(dir)
	write(t, folder, "x", map[uint64][]byte{1: []byte("some"), 7: []byte("bytes")})
	path := filepath.Join(dir, "x")
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	read := func() error {
		p, err := Open(folder, run, "x")
		if err != nil {
			return err
		}
		defer p.Close()
		for _, key := range []uint64{1, 7, NoteKey} {
			if _, err := p.Get(key, nil); err != nil {
				return err
			}
		}
		return nil
	}
	for i := range whole {
		damaged := bytes.Clone(whole)
		damaged[i] ^= 0x40
		for _, content := range [][]byte{damaged, whole[:i]} {
			if err := os.WriteFile(path, content, 0o666); err != nil {
				t.Fatal(err)
			}
			if err := read(); !errors.Is(err, ErrDamaged) || !strings.Contains(err.Error(), "x is damaged") {
				if i >= 12 && i < 16 && len(content) == len(whole) && errors.Is(err, ErrDamaged) {
					continue
				}
				t.Fatalf("byte %d of %d, %d bytes left: %v", i, len(whole), len(content), err)
			}
		}
	}
	if err := os.WriteFile(path, whole, 0o666); err != nil {
		t.Fatal(err)
	}
	if err := read(); err != nil {
		t.Fatal(err)
	}
}

// TestOtherNamesAndRuns: a piece stands for nothing but its own task of its own run.
func TestOtherNamesAndRuns(t *testing.T) {
	dir := t.TempDir()
	folder := Local(dir)
	write(t, folder, "x", nil)
	if _, err := Open(folder, "fedcba9876543210", "x"); !errors.Is(err, ErrDamaged) {
		t.Errorf("of another run: %v", err)
	}
	if err := os.Rename(filepath.Join(dir, "x"), filepath.Join(dir, "y")); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(folder, run, "y"); !errors.Is(err, ErrDamaged) {
		t.Errorf("under another name: %v", err)
	}
	if _, err := Open(folder, run, "x"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("absent: %v", err)
	}
}

// TestUnfinishedIsAbsent: before Commit there is nothing, and two attempts do not meet.
func TestUnfinishedIsAbsent(t *testing.T) {
	folder := Local(t.TempDir())
	first, err := Create(folder, run, "d/x")
	if err != nil {
		t.Fatal(err)
	}
	first.Put(1, []byte("equal"))
	write(t, folder, "d/x", map[uint64][]byte{1: []byte("equal")})
	if names, err := folder.List("d"); err != nil || len(names) != 1 {
		t.Fatalf("%v, %v", names, err)
	}
	if err := first.Commit(); err != nil { // the late one
		t.Fatal(err)
	}
	w, err := Create(folder, run, "d/y")
	if err != nil {
		t.Fatal(err)
	}
	s := w.Section(1, 10)
	s.Write([]byte("short"))
	s.End()
	if err := w.Commit(); err == nil {
		t.Error("a section that is short is committed")
	}
	w.Abort()
	if names, err := folder.List("d"); err != nil || len(names) != 1 {
		t.Fatalf("%v, %v", names, err)
	}
}

// TestRemovedWhileWritten: removing a folder that a late attempt writes to is no failure, and what is committed
// afterwards is whole.
func TestRemovedWhileWritten(t *testing.T) {
	folder := Local(t.TempDir())
	var done atomic.Bool
	var late sync.WaitGroup
	for i := range 2 {
		late.Go(func() {
			for n := 0; !done.Load(); n++ {
				if w, err := Create(folder, run, fmt.Sprintf("d/%d-%d", i, n)); err == nil { // else the folder went as it was made
					w.Put(1, []byte("late"))
					w.Commit() // likewise
					w.Abort()
				}
			}
		})
	}
	for range 300 {
		if err := folder.Remove("d"); err != nil {
			t.Error(err)
		}
	}
	done.Store(true)
	late.Wait()
	write(t, folder, "d/x", map[uint64][]byte{1: []byte("whole")})
	if p, err := Open(folder, run, "d/x"); err != nil || p.Size(1) != 5 {
		t.Error(err)
	} else if err := p.Close(); err != nil {
		t.Error(err)
	}
}
