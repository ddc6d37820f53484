package arrange

import (
	"errors"
	"os"

	"github.com/knng/knng/vectors"
	"github.com/knng/knng/vectors/aside"
)

// A spoolFile is a scratch file that is useless after a crash. It is not synced, so that the disk need not
// store rows that are deleted soon.
type spoolFile struct {
	*os.File
	ended bool
}

func (f *spoolFile) Commit() error {
	f.ended = true
	return f.Close()
}

func (f *spoolFile) Abort() error {
	if f.ended {
		return nil
	}
	f.ended = true
	return errors.Join(f.Close(), os.Remove(f.Name()))
}

// spool copies the good rows to a scratch file in input order, and maps it. release deletes it.
func (r *Rows) spool(path string) (rows *vectors.Rows, release func(), err error) {
	f, err := aside.Fresh(path)
	if err != nil {
		return nil, nil, err
	}
	file := &spoolFile{File: f}
	w, err := vectors.NewRowsWriter(file, path, len(r.Good), r.Source.Dim(), r.Source.Type())
	if err != nil {
		return nil, nil, errors.Join(err, file.Abort())
	}
	if err := r.copyTo(w); err != nil {
		return nil, nil, err
	}
	if rows, err = vectors.OpenRows(path); err != nil {
		return nil, nil, errors.Join(err, os.Remove(path))
	}
	return rows, func() { rows.Close(); os.Remove(path) }, nil
}
