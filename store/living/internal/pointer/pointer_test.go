package pointer_test

import (
	"fmt"
	"testing"

	"github.com/knng/knng/store/internal/rooted"
	"github.com/knng/knng/store/living/internal/disk"
	"github.com/knng/knng/store/living/internal/pointer"
)

// quick is a folder that syncs nothing.
type quick struct{ disk.FS }

type quickFile struct{ disk.File }

func (q quick) Create(name string) (disk.File, error) {
	f, err := q.FS.Create(name)
	return quickFile{f}, err
}

func (quick) SyncFolder(string) error { return nil }
func (quickFile) Sync() error         { return nil }

// TestReadWhileWritten: a reader finds a manifest whenever it looks, while a writer has one after the other
// count and removes those before.
func TestReadWhileWritten(t *testing.T) {
	dir, err := rooted.Open(t.TempDir())
	must(t, err)
	defer dir.Close()
	fs := quick{disk.In(dir)}
	must(t, fs.Mkdir(pointer.Folder))
	m := pointer.Manifest{Number: 1, Dim: 3, Type: "float32", Metric: "euclidean", K: 4, Logs: []uint64{1}}
	must(t, pointer.Write(fs, &m))
	done := make(chan error, 1)
	go func() { done <- write(fs, m, 1000) }()
	for last, n := uint64(0), 0; ; n++ {
		m, err := pointer.Read(dir)
		if err != nil || m.Number < last {
			t.Errorf("read %d: %+v after manifest %d: %v", n, m, last, err)
			break
		}
		if last = m.Number; last == 1001 {
			break
		}
	}
	must(t, <-done)
}

// write has n more manifests count.
func write(fs disk.FS, m pointer.Manifest, n int) error {
	for range n {
		old := fmt.Sprintf("%s/MANIFEST-%06d", pointer.Folder, m.Number)
		m.Number++
		if err := pointer.Write(fs, &m); err != nil {
			return err
		}
		if err := fs.RemoveAll(old); err != nil {
			return err
		}
	}
	return nil
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
