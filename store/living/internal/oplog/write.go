package oplog

import (
	"encoding/binary"
	"errors"
	"fmt"
	"os"

	"github.com/cespare/xxhash/v2"

	"github.com/knng/knng/store/living/internal/disk"
)

// ErrTooLarge says that a transaction has more than MaxFrame bytes.
var ErrTooLarge = fmt.Errorf("living: a transaction of more than %d bytes", MaxFrame)

// A Writer appends frames to a log. It belongs to one goroutine.
type Writer struct {
	Header
	file  disk.File
	fixed [8]byte // hash of the fixed header
	sum   uint64
	end   int64
	op    uint64
	slot  int // of the durable length to be written next
	buf   []byte
}

// Create makes a log. Its name is not durable yet.
func Create(fs disk.FS, name string, h Header) (*Writer, error) {
	file, err := fs.Create(name)
	if err != nil {
		return nil, err
	}
	head := h.encode(headerBytes)
	if _, err := file.WriteAt(head, 0); err != nil {
		return nil, errors.Join(err, file.Close())
	}
	if err := file.Sync(); err != nil {
		return nil, errors.Join(err, file.Close())
	}
	w := &Writer{Header: h, file: file, sum: binary.LittleEndian.Uint64(head[fixedBytes:]), end: headerBytes, op: h.FirstOp}
	copy(w.fixed[:], head[fixedBytes:])
	return w, nil
}

// Continue opens a log that r has read to the end of its whole frames, cuts off the rest, and makes those
// frames durable. It rewrites those past the durable length: if a sync failed, the system may consider them
// written, and leave them out of the next sync.
func Continue(fs disk.FS, name string, r *Reader) (*Writer, error) {
	file, err := fs.Edit(name)
	if err != nil {
		return nil, err
	}
	w := &Writer{Header: r.Header, file: file, sum: r.sum, end: r.at, op: r.op}
	head := r.Header.encode(0)
	copy(w.fixed[:], head[fixedBytes:])
	err = file.Truncate(r.at)
	if err == nil {
		err = copyRange(file, r.file, max(r.whole, headerBytes), r.at)
	}
	if err == nil {
		err = file.Sync()
	}
	for range 2 {
		if err == nil {
			err = w.mark()
		}
		if err == nil {
			err = file.SyncData()
		}
	}
	if err != nil {
		return nil, errors.Join(err, file.Close())
	}
	return w, nil
}

// End returns the length of the log, and the number of the next operation.
func (w *Writer) End() (length int64, op uint64) { return w.end, w.op }

// Append writes a frame, which is durable when it returns. After an error the state of the file is unknown,
// and the Writer must not be used again.
func (w *Writer) Append(ops []Op) error {
	if len(ops) == 0 {
		return nil
	}
	f := frame{first: w.op, before: w.sum, count: uint64(len(ops))}
	b := f.encode(w.buf[:0])
	for i := range ops {
		if b = appendOp(b, &ops[i]); len(b)-frameBytes > MaxFrame {
			return ErrTooLarge
		}
	}
	f.length = uint32(len(b) - frameBytes)
	f.encode(b[:0])
	sum := xxhash.Sum64(b)
	b = binary.LittleEndian.AppendUint64(b, sum)
	w.buf = b
	if _, err := w.file.WriteAt(b, w.end); err != nil {
		return err
	}
	if err := w.file.SyncData(); err != nil {
		return err
	}
	w.end += int64(len(b))
	w.op += f.count
	w.sum = sum
	return w.mark()
}

// mark writes the durable length for readers. The next sync makes it durable.
func (w *Writer) mark() error {
	at := int64(marksAt + w.slot*markBytes)
	w.slot = 1 - w.slot
	_, err := w.file.WriteAt(mark(w.fixed[:], w.end), at)
	return err
}

// Finish makes the durable length durable too.
func (w *Writer) Finish() error { return w.file.SyncData() }

// Close calls Finish, and closes the file.
func (w *Writer) Close() error { return errors.Join(w.Finish(), w.file.Close()) }

// Abandon closes the file without changing it.
func (w *Writer) Abandon() error { return w.file.Close() }

// Copy writes the frames of a log up to an offset into a file, as a log with that durable length.
func Copy(dst disk.File, r *Reader, end int64) error {
	if _, err := dst.WriteAt(r.Header.encode(end), 0); err != nil {
		return err
	}
	return copyRange(dst, r.file, headerBytes, end)
}

func copyRange(dst disk.File, src *os.File, from, to int64) error {
	buf := make([]byte, 1<<20)
	for from < to {
		some := buf[:min(int64(len(buf)), to-from)]
		if _, err := src.ReadAt(some, from); err != nil {
			return err
		}
		if _, err := dst.WriteAt(some, from); err != nil {
			return err
		}
		from += int64(len(some))
	}
	return nil
}
