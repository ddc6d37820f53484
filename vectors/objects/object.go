package objects

import (
	"errors"
	"fmt"
	"io"
	"os"
	"sync"
)

// blockBytes is the unit in which an object is fetched. A smaller one would ask more often,
// and each request waits some tens of milliseconds; a larger one would fetch more of a
// shard's neighbors than the shard itself.
const blockBytes = 4 << 20

// An Object is open for reading. Blocks of it that were read are kept in a scratch file, so
// that no byte is fetched twice. It may be read by many goroutines at once.
type Object struct {
	at   string
	size int64

	kept *os.File // as long as the object, with holes; without a name where the system can
	mu   sync.Mutex
	have []*block
}

// block is a block of an object that somebody asked for.
type block struct {
	once sync.Once
	err  error
}

// Open opens an object; scratch is the folder of its scratch file, "" that
// of the system. Where there is no such object the error is fs.ErrNotExist.
func Open(at, scratch string) (*Object, error) {
	size, err := Size(at)
	if err != nil {
		return nil, err
	}
	kept, err := os.CreateTemp(scratch, "knng-object-")
	if err != nil {
		return nil, fmt.Errorf("objects: %w", err)
	}
	os.Remove(kept.Name()) // where open files keep their names, Close removes it
	o := &Object{at: at, size: size, kept: kept, have: make([]*block, (size+blockBytes-1)/blockBytes)}
	if err := kept.Truncate(size); err != nil {
		return nil, errors.Join(fmt.Errorf("objects: %s: %w", at, err), o.Close())
	}
	return o, nil
}

// Size is the size in bytes.
func (o *Object) Size() int64 { return o.size }

// File is the scratch file: as long as the object, and equal to it where Need was called.
func (o *Object) File() *os.File { return o.kept }

// Need fetches the blocks that hold bytes from up to to, where they were not fetched before.
func (o *Object) Need(from, to int64) error {
	for b := max(0, from) / blockBytes; b*blockBytes < min(to, o.size); b++ {
		if err := o.fetch(b); err != nil {
			return err
		}
	}
	return nil
}

// fetch fetches a block once. One that failed is asked for again.
func (o *Object) fetch(number int64) error {
	o.mu.Lock()
	b := o.have[number]
	if b == nil {
		b = new(block)
		o.have[number] = b
	}
	o.mu.Unlock()
	b.once.Do(func() { b.err = o.keep(number) })
	if b.err != nil {
		o.mu.Lock()
		if o.have[number] == b {
			o.have[number] = nil
		}
		o.mu.Unlock()
	}
	return b.err
}

func (o *Object) keep(number int64) error {
	from := number * blockBytes
	data := make([]byte, min(blockBytes, o.size-from))
	if err := readAt(o.at, data, from); err != nil {
		return err
	}
	if _, err := o.kept.WriteAt(data, from); err != nil {
		return fmt.Errorf("objects: %s: its scratch file: %w", o.at, err)
	}
	return nil
}

// Direct reads without keeping: for few bytes here and there.
func (o *Object) Direct() io.ReaderAt { return direct{o} }

type direct struct{ *Object }

func (d direct) ReadAt(buf []byte, from int64) (int, error) {
	if from < 0 || from >= d.size {
		return 0, io.EOF
	}
	n := int(min(int64(len(buf)), d.size-from))
	if err := readAt(d.at, buf[:n], from); err != nil {
		return 0, err
	}
	if n < len(buf) {
		return n, io.EOF
	}
	return n, nil
}

// Close removes the scratch file.
func (o *Object) Close() error {
	err := o.kept.Close()
	if left := os.Remove(o.kept.Name()); left != nil && !errors.Is(left, os.ErrNotExist) {
		err = errors.Join(err, left)
	}
	return err
}
