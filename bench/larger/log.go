package larger

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"

	"github.com/knng/knng/bench/capped"
)

// log is the file of all runs.
type log struct {
	path string
	runs map[Task]Run
}

// openLog reads the runs that are there. A last line that was cut off is dropped.
func openLog(path string) (*log, error) {
	l := &log{path, map[Task]Run{}}
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
		r := Run{Outcome: new(capped.Outcome)}
		if err := json.Unmarshal(line, &r); err != nil {
			return nil, fmt.Errorf("larger: %s: run %d: %w", path, len(l.runs)+1, err)
		}
		whole += int64(len(line))
		l.runs[r.Task] = r
	}
	return l, f.Truncate(whole)
}

func (l *log) find(t Task) (Run, bool) {
	r, ok := l.runs[t]
	return r, ok
}

// add appends a run to the file.
func (l *log) add(r Run) error {
	line, err := json.Marshal(r)
	if err != nil {
		return err
	}
	f, err := os.OpenFile(l.path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o666)
	if err != nil {
		return err
	}
	defer f.Close()
	if _, err := f.Write(append(line, '\n')); err != nil {
		return err
	}
	l.runs[r.Task] = r
	return nil
}
