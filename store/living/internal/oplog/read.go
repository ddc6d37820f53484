package oplog

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/cespare/xxhash/v2"

	"github.com/knng/knng/store"
)

// A Reader reads the frames of a log, which another process may be writing.
type Reader struct {
	Header
	file  *os.File
	path  string
	sum   uint64 // of the previous frame
	at    int64  // position of the next frame
	whole int64  // the latest durable length read
	torn  bool   // one of two lengths did not match its hash
	op    uint64 // its first operation
	frame []byte
}

// NewReader reads the header of a log. If there is no error, the Reader owns the file.
func NewReader(file *os.File, path string) (*Reader, error) {
	r := &Reader{file: file, path: path, at: headerBytes}
	var head [headerBytes]byte
	_, err := file.ReadAt(head[:], 0)
	if errors.Is(err, io.EOF) {
		return nil, r.fault(0, errors.New("shorter than a header"))
	}
	if err != nil {
		return nil, err
	}
	if r.Header, r.sum, err = decodeHeader(head[:]); err != nil {
		return nil, r.fault(-1, err)
	}
	r.op = r.FirstOp
	return r, nil
}

// Close closes the file.
func (r *Reader) Close() error { return r.file.Close() }

// File returns the file of the log.
func (r *Reader) File() *os.File { return r.file }

// At returns the offset up to which frames were read, and the number of the operation there.
func (r *Reader) At() (offset int64, op uint64) { return r.at, r.op }

// fault returns an error for a damaged file.
func (r *Reader) fault(at int64, err error) error {
	if at < 0 {
		return fmt.Errorf("%w: %s: %w", store.ErrCorrupt, r.path, err)
	}
	return fmt.Errorf("%w: %s: byte %d: %w", store.ErrCorrupt, r.path, at, err)
}

// Durable reads the durable length. A writer may be writing it, so a length that does not match its hash, or
// that is shorter than an earlier one, is read again. One that still does not match may be the larger: then
// Torn is true, the length is the other one or the end of the frames already read, and Recover reads on.
func (r *Reader) Durable() (length int64, err error) {
	var head [headerBytes]byte
	for range 100 {
		if _, err = r.file.ReadAt(head[:], 0); err != nil {
			continue
		}
		if length, r.torn, err = decodeMarks(head[:]); err == nil && length >= r.at && !r.torn {
			break
		}
	}
	if err != nil {
		return 0, r.fault(-1, err)
	}
	r.whole = length
	if r.torn {
		length = max(length, r.at)
	}
	if length < r.at {
		return 0, r.fault(marksAt, fmt.Errorf("a durable length of %d, %d were read", length, r.at))
	}
	info, err := r.file.Stat()
	if err == nil && info.Size() < length {
		err = r.fault(info.Size(), fmt.Errorf("the file ends, its durable length is %d", length))
	}
	return length, err
}

// Torn reports whether Durable saw only one length, because the other did not match its hash.
func (r *Reader) Torn() bool { return r.torn }

// To reads frames up to an offset, at which one must end, and calls fn with every operation and its number.
func (r *Reader) To(end int64, fn func(number uint64, op *Op) error) error {
	for r.at < end {
		f, err := r.next(end)
		if err == nil {
			err = r.apply(f, fn)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// errTorn describes bytes that may be a frame torn by a crash.
var errTorn = errors.New("no whole frame")

// next reads the next frame, which must end by an offset.
func (r *Reader) next(end int64) (*frame, error) {
	var head [frameBytes]byte
	f := new(frame)
	if end-r.at < frameBytes+sumBytes {
		return nil, r.fault(r.at, fmt.Errorf("%w: %d bytes are left, a frame has %d or more", errTorn, end-r.at, frameBytes+sumBytes))
	}
	if _, err := r.file.ReadAt(head[:], r.at); err != nil {
		return nil, err
	}
	if !f.decode(head[:]) {
		return nil, r.fault(r.at, fmt.Errorf("%w: not the head of one", errTorn))
	}
	if f.first != r.op || f.before != r.sum {
		return nil, r.fault(r.at, fmt.Errorf("a frame from operation %d on, want %d, or not behind the frame before", f.first, r.op))
	}
	if f.count == 0 || f.count > uint64(f.length) {
		return nil, r.fault(r.at+24, fmt.Errorf("%d operations in %d bytes", f.count, f.length))
	}
	if f.size() > end-r.at {
		return nil, r.fault(r.at+4, fmt.Errorf("%w: it has %d bytes, %d are left", errTorn, f.size(), end-r.at))
	}
	if int64(cap(r.frame)) < f.size() {
		r.frame = make([]byte, f.size())
	}
	r.frame = r.frame[:f.size()]
	if _, err := r.file.ReadAt(r.frame, r.at); err != nil {
		return nil, err
	}
	body := r.frame[:len(r.frame)-sumBytes]
	if !bytes.Equal(body[:frameBytes], head[:]) || xxhash.Sum64(body) != binary.LittleEndian.Uint64(r.frame[len(body):]) {
		return nil, r.fault(r.at+f.size()-sumBytes, fmt.Errorf("%w: the hash of the frame from byte %d on is another", errTorn, r.at))
	}
	return f, nil
}

// apply calls fn with the operations of the current frame, and moves past it.
func (r *Reader) apply(f *frame, fn func(number uint64, op *Op) error) error {
	body := r.frame[frameBytes : len(r.frame)-sumBytes]
	rest := body
	var op Op
	for i := range f.count {
		var err error
		if rest, err = readOp(rest, r.vectorBytes(), &op); err == nil && fn != nil {
			err = fn(f.first+i, &op)
		}
		if err != nil {
			return r.fault(r.at+frameBytes+int64(len(body)-len(rest)), fmt.Errorf("operation %d: %w", f.first+i, err))
		}
	}
	if len(rest) > 0 {
		return r.fault(r.at+frameBytes+int64(len(body)-len(rest)), fmt.Errorf("%d bytes behind the last operation", len(rest)))
	}
	r.sum = binary.LittleEndian.Uint64(r.frame[len(r.frame)-sumBytes:])
	r.at += f.size()
	r.op += f.count
	return nil
}

// Recover reads on past the durable length, where a process may have ended at any moment: whole frames count.
// It is for the writer, which cuts the file where the frames end, and for readers of a log that is Torn.
// Bytes that are not a frame, with a frame after them, are damage.
func (r *Reader) Recover(fn func(number uint64, op *Op) error) error {
	info, err := r.file.Stat()
	if err != nil {
		return err
	}
	for r.at < info.Size() {
		f, err := r.next(info.Size())
		if errors.Is(err, errTorn) {
			return r.tornAt(info.Size(), err)
		}
		if err == nil {
			err = r.apply(f, fn)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// tornAt returns nil if no head of a later frame follows.
func (r *Reader) tornAt(size int64, torn error) error {
	const step = 1 << 16
	buf := make([]byte, step+frameBytes)
	for at := r.at + 1; at < size; at += step {
		n, err := r.file.ReadAt(buf, at)
		if err != nil && err != io.EOF {
			return err
		}
		for some, from := buf[:n], 0; ; from++ {
			i := bytes.Index(some[from:], []byte(frameMagic))
			if i < 0 {
				break
			}
			from += i
			var f frame
			if f.decode(some[from:]) && f.first > r.op {
				return fmt.Errorf("%w, and one follows at byte %d", torn, at+int64(from))
			}
		}
	}
	return nil
}
