package oplog_test

import (
	"bytes"
	"testing"

	"github.com/knng/knng/store/internal/rooted"
	"github.com/knng/knng/store/living/internal/disk"
	"github.com/knng/knng/store/living/internal/oplog"
	"github.com/knng/knng/vectors"
)

// quick is a folder that syncs nothing.
type quick struct{ disk.FS }

type quickFile struct{ disk.File }

func (q quick) Create(name string) (disk.File, error) {
	f, err := q.FS.Create(name)
	return quickFile{f}, err
}

func (quickFile) Sync() error     { return nil }
func (quickFile) SyncData() error { return nil }

// TestReadWhileWritten: a reader follows a writer that never rests: frames up to the durable length are there, which
// never becomes shorter.
func TestReadWhileWritten(t *testing.T) {
	dir, err := rooted.Open(t.TempDir())
	must(t, err)
	defer dir.Close()
	w, err := oplog.Create(quick{disk.In(dir)}, "log", oplog.Header{Number: 1, FirstOp: 1, Type: vectors.Uint8, Dim: 8})
	must(t, err)
	const frames = 20_000
	done := make(chan error, 1)
	go func() {
		for i := range frames {
			if err := w.Append([]oplog.Op{{Kind: oplog.Put, Row: oplog.NoRow, Vector: bytes.Repeat([]byte{byte(i)}, 8)}}); err != nil {
				done <- err
				return
			}
		}
		done <- w.Close()
	}()
	f, err := dir.Open("log")
	must(t, err)
	r, err := oplog.NewReader(f, "log")
	must(t, err)
	defer r.Close()
	for n := 0; n < frames; {
		end, err := r.Durable()
		if err == nil {
			err = r.To(end, func(uint64, *oplog.Op) error { n++; return nil })
		}
		if err != nil {
			t.Errorf("after %d frames: %v", n, err)
			break
		}
	}
	must(t, <-done)
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
