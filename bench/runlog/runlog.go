// Package runlog keeps what long experiments found, one line of JSON a run, so
// that an experiment that is begun again does only what is missing.
package runlog

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
)

// Log is the file of all runs R, each the outcome of a task T.
type Log[T comparable, R any] struct {
	path string
	task func(R) T
	runs []R
	last map[T]int // where in runs a task's last run is
}

// Open reads the runs that are there, none where there is no file; task tells
// whose outcome a run is. A last line that was cut off is left out, and written
// over by the next run.
func Open[T comparable, R any](path string, task func(R) T) (*Log[T, R], error) {
	l := &Log[T, R]{path: path, task: task, last: map[T]int{}}
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if errors.Is(err, fs.ErrNotExist) {
		return l, nil
	}
	if err != nil {
		return nil, err
	}
	defer f.Close()
	var whole int64
	for lines := bufio.NewReader(f); ; {
		line, err := lines.ReadBytes('\n')
		if err != nil {
			break
		}
		var r R
		if err := json.Unmarshal(line, &r); err != nil {
			return nil, fmt.Errorf("runlog: %s: run %d: %w", path, len(l.runs)+1, err)
		}
		whole += int64(len(line))
		l.keep(r)
	}
	return l, f.Truncate(whole)
}

func (l *Log[T, R]) keep(r R) {
	l.last[l.task(r)] = len(l.runs)
	l.runs = append(l.runs, r)
}

// Runs returns all runs in the order in which they were added. They belong to the log.
func (l *Log[T, R]) Runs() []R { return l.runs }

// Find returns the last run of a task.
func (l *Log[T, R]) Find(t T) (r R, ok bool) {
	at, ok := l.last[t]
	if ok {
		r = l.runs[at]
	}
	return r, ok
}

// Add appends a run to the file.
func (l *Log[T, R]) Add(r R) error {
	line, err := json.Marshal(r)
	if err != nil {
		return err
	}
	f, err := os.OpenFile(l.path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o666)
	if err != nil {
		return err
	}
	_, err = f.Write(append(line, '\n'))
	if err := errors.Join(err, f.Close()); err != nil {
		return err
	}
	l.keep(r)
	return nil
}
