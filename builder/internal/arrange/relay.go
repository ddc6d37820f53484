package arrange

import (
	"io"

	"github.com/knng/knng/builder/internal/job"
)

// A relay writes rows while those after them are gathered.
type relay struct {
	to   io.Writer
	done func() error // waits for the write under way; nil: none
	room [2][]byte
}

// empty is memory for the next rows: that of the rows before the last, which are written.
func (r *relay) empty() []byte { return r.room[0][:0] }

// write waits for the write before, and begins to write rows. Their memory belongs to the relay from then on.
func (r *relay) write(rows []byte) error {
	if err := r.wait(); err != nil {
		return err
	}
	r.done = job.Async(func() error {
		_, err := r.to.Write(rows)
		return err
	})
	r.room = [2][]byte{r.room[1], rows}
	return nil
}

// wait waits for the write under way. Call it before the writer ends, whatever happens.
func (r *relay) wait() error {
	if r.done == nil {
		return nil
	}
	return r.done()
}
