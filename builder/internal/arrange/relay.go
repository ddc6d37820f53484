package arrange

import (
	"io"

	"github.com/knng/knng/builder/internal/job"
)

// A relay writes rows while the next ones are gathered.
type relay struct {
	to   io.Writer
	done func() error // waits for the current write; nil: none
	room [2][]byte
}

// empty returns memory for the next rows: that of the rows before the last, which are already written.
func (r *relay) empty() []byte { return r.room[0][:0] }

// write waits for the previous write, and begins to write rows. From then on their memory belongs to the
// relay.
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

// wait waits for the current write. It must be called before the writer ends, in any case.
func (r *relay) wait() error {
	if r.done == nil {
		return nil
	}
	return r.done()
}
