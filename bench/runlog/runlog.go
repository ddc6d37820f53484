// Package runlog keeps runs, one line of JSON each, so that a study that was
// interrupted, or ran out of time, goes on where it was.
package runlog

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
)

// Log is a file of runs R, each of them named by a task K. It belongs to one
// goroutine.
type Log[K comparable, R any] struct {
	path string
	task func(R) K
	runs []R
	at   map[K]int // in runs
}

// Open reads the runs that path holds; none where there is no such file, or path
// is "": then nothing is written either. A last line that was cut off is dropped.
// Where a task was run twice the last run counts.
func Open[K comparable, R any](path string, task func(R) K) (*Log[K, R], error) {
	l := &Log[K, R]{path: path, task: task, at: map[K]int{}}
	if path == "" {
		return l, nil
	}
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

func (l *Log[K, R]) keep(r R) {
	task := l.task(r)
	if i, ok := l.at[task]; ok {
		l.runs[i] = r
		return
	}
	l.at[task] = len(l.runs)
	l.runs = append(l.runs, r)
}

// Find returns the run of a task.
func (l *Log[K, R]) Find(task K) (r R, ok bool) {
	i, ok := l.at[task]
	if ok {
		r = l.runs[i]
	}
	return r, ok
}

// Runs returns all runs, in the order in which they were made. The slice is the
// log's own.
func (l *Log[K, R]) Runs() []R { return l.runs }

// Add appends a run to the file.
func (l *Log[K, R]) Add(r R) error {
	if l.path != "" {
		if err := l.write(r); err != nil {
			return err
		}
	}
	l.keep(r)
	return nil
}

func (l *Log[K, R]) write(r R) error {
	line, err := json.Marshal(r)
	if err != nil {
		return err
	}
	f, err := os.OpenFile(l.path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o666)
	if err != nil {
		return err
	}
	_, err = f.Write(append(line, '\n'))
	return errors.Join(err, f.Close())
}
