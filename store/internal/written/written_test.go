package written_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/knng/knng/store/internal/written"
)

// database writes some keys through an account and leaves the database as a kill does.
func database(t *testing.T) *vfs.MemFS {
	t.Helper()
	mem := vfs.NewMem()
	account, db := opened(t, mem)
	for i := range 40 {
		if err := db.Set(fmt.Appendf(nil, "%04d", i), make([]byte, 100), pebble.Sync); err != nil {
			t.Fatal(err)
		}
		if i%15 == 14 {
			if err := db.Flush(); err != nil {
				t.Fatal(err)
			}
		}
	}
	killed := copied(t, mem)
	if err := errors.Join(db.Close(), account.Close()); err != nil {
		t.Fatal(err)
	}
	return killed
}

// silent is a logger that says nothing.
type silent struct{}

func (silent) Infof(string, ...any)              {}
func (silent) Errorf(string, ...any)             {}
func (silent) Fatalf(format string, args ...any) { panic(fmt.Sprintf(format, args...)) }

func opened(t *testing.T, mem *vfs.MemFS) (*written.Account, *pebble.DB) {
	t.Helper()
	if err := mem.MkdirAll("db", 0o777); err != nil {
		t.Fatal(err)
	}
	account, err := written.Open(mem, "db")
	if err != nil {
		t.Fatal(err)
	}
	db, err := pebble.Open("db", &pebble.Options{FS: account, FormatMajorVersion: pebble.FormatNewest, Logger: silent{}})
	if err != nil {
		t.Fatal(err)
	}
	return account, db
}

// copied is the folder as it stands now.
func copied(t *testing.T, from *vfs.MemFS) *vfs.MemFS {
	t.Helper()
	to := vfs.NewMem()
	if ok, err := vfs.Clone(from, to, "db", "db"); !ok || err != nil {
		t.Fatal(ok, err)
	}
	return to
}

func read(t *testing.T, fs vfs.FS, path string) []byte {
	t.Helper()
	f, err := fs.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	data, err := io.ReadAll(f)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func write(t *testing.T, fs vfs.FS, path string, data []byte) {
	t.Helper()
	f, err := fs.Create(path, vfs.WriteCategoryUnspecified)
	if err == nil {
		_, err = f.Write(bytes.Clone(data)) // which the write may change
		err = errors.Join(err, f.Close())
	}
	if err != nil {
		t.Fatal(err)
	}
}

// TestEveryByte: a database that was killed is sound, goes on, and no byte of its manifest
// and log that was synced changes or goes without being noticed.
func TestEveryByte(t *testing.T) {
	killed := database(t)
	if err := written.Check(killed, "db"); err != nil {
		t.Fatal(err)
	}
	names, err := killed.List("db")
	if err != nil {
		t.Fatal(err)
	}
	files := 0
	for _, name := range names {
		table := strings.HasSuffix(name, ".sst")
		if !strings.HasPrefix(name, "MANIFEST-") && !strings.HasSuffix(name, ".log") && !table {
			continue
		}
		path := filepath.Join("db", name)
		data := read(t, killed, path)
		synced := claimed(string(read(t, killed, filepath.Join("db", written.Name))), name)
		if synced == 0 {
			continue
		}
		files++
		data = data[:synced] // behind it stand the bytes of before it was written over
		for at := range data {
			data[at] ^= 1
			write(t, killed, path, data)
			if err := written.Check(killed, "db"); !errors.Is(err, written.ErrDiffers) {
				t.Errorf("%s, byte %d of %d changed: %v", name, at, len(data), err)
			}
			data[at] ^= 1
		}
		write(t, killed, path, data[:len(data)-1])
		if err := written.Check(killed, "db"); !errors.Is(err, written.ErrDiffers) {
			t.Errorf("%s cut: %v", name, err)
		}
		if err := killed.Remove(path); err != nil {
			t.Fatal(err)
		}
		if err := written.Check(killed, "db"); errors.Is(err, written.ErrDiffers) == table { // Pebble misses a table
			t.Errorf("%s gone: %v", name, err)
		}
		write(t, killed, path, data)
	}
	if files < 3 {
		t.Errorf("the account tells of %d files", files)
	}
	account, db := opened(t, killed)
	if _, closer, err := db.Get([]byte("0039")); err != nil {
		t.Error(err)
	} else {
		closer.Close()
	}
	if err := errors.Join(db.Close(), account.Close(), written.Check(killed, "db")); err != nil {
		t.Error(err)
	}
}

// claimed is how many bytes of a file an account tells of.
func claimed(text, name string) (n int) {
	for line := range strings.Lines(text) {
		if rest, ok := strings.CutPrefix(line, name+" "); ok {
			n = 0
			fmt.Sscanf(rest, "%d", &n)
		}
	}
	return n
}

// TestTornLines: an account of which the end is lost says less, and nothing wrong; without
// one nothing is said.
func TestTornLines(t *testing.T) {
	killed := database(t)
	path := filepath.Join("db", written.Name)
	text := read(t, killed, path)
	last := strings.LastIndex(strings.TrimSuffix(string(text), "\n"), "\n")
	for cut := last + 1; cut <= len(text); cut++ {
		write(t, killed, path, text[:cut])
		if err := written.Check(killed, "db"); err != nil {
			t.Errorf("%d bytes of %d: %v", cut, len(text), err)
		}
	}
	write(t, killed, path, []byte("not an account\n"))
	if err := written.Check(killed, "db"); !errors.Is(err, written.ErrDiffers) {
		t.Error(err)
	}
	if err := killed.Remove(path); err != nil {
		t.Fatal(err)
	}
	if err := written.Check(killed, "db"); err != nil {
		t.Error(err)
	}
}
