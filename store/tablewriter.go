package store

import (
	"bufio"
	"errors"

	"github.com/cockroachdb/pebble/v2/vfs"
)

// tableBuffer is how much of a table is written at a time. Pebble writes block by block: of 1,000,000 lists of 20 neighbors
// these were 40,000 writes of some kilobytes, a fifth of the time of the pass.
const tableBuffer = 256 << 10

// A tableWriter writes a table as Pebble hands it over: in order, and synced at the end.
type tableWriter struct {
	file   vfs.File
	buffer *bufio.Writer
}

func newTableWriter(f vfs.File) *tableWriter {
	return &tableWriter{f, bufio.NewWriterSize(&behindFile{File: f}, tableBuffer)}
}

func (t *tableWriter) Write(data []byte) error {
	_, err := t.buffer.Write(data)
	return err
}

// Finish syncs the table, and closes its file.
func (t *tableWriter) Finish() error {
	err := t.buffer.Flush()
	if err == nil {
		err = t.file.Sync()
	}
	return errors.Join(err, t.file.Close())
}

// Abort closes the file, whatever it holds.
func (t *tableWriter) Abort() { _ = t.file.Close() }
