package store

import (
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/knng/knng/store/internal/rooted"
)

// toldPath is the file in which a running build reports its progress.
const toldPath = scratchName + "/progress"

// Tell writes a progress report, v as JSON, for Told. It does not sync it: the run after a crash takes share and times
// from the report if it is there.
func (d *Draft) Tell(v any) error {
	d.telling.Lock()
	defer d.telling.Unlock()
	if d.silent {
		return ErrClosed
	}
	return tell(d.home, v)
}

// tell writes the file of Tell.
func tell(home *rooted.Dir, v any) error {
	text, err := json.Marshal(v)
	if err != nil {
		return fmt.Errorf("store: progress: %w", err)
	}
	f, err := home.Create(toldPath + newSuffix)
	if err == nil {
		_, err = f.Write(text)
		err = errors.Join(err, f.Close())
	}
	if err == nil {
		err = home.Rename(toldPath+newSuffix, toldPath)
	}
	if err != nil {
		return fmt.Errorf("store: progress: %w", err)
	}
	return nil
}

// Tell writes a report of work on derived files, v as JSON, for Told. Only one goroutine may call it. Errors: ErrClosed.
func (s *Store) Tell(v any) error {
	if !s.graph.Enter() {
		return ErrClosed
	}
	defer s.graph.Leave()
	if err := s.home.Dir.MkdirAll(scratchName, 0o777); err != nil {
		return fmt.Errorf("store: progress: %w", err)
	}
	return tell(s.home.Dir, v)
}

// Untell removes the file of Tell; after Close it does nothing.
func (s *Store) Untell() {
	if !s.graph.Enter() {
		return
	}
	defer s.graph.Leave()
	_ = s.home.Dir.Remove(toldPath) // where it stays, it is old
}

// untell removes the file of Tell, of a build that is over.
func (d *Draft) untell() {
	d.silence()
	_ = d.home.Remove(toldPath) // where it stays, it is old
}

// silence makes later calls of Tell write nothing: when a build closes its draft, the goroutine that calls Tell may
// still run.
func (d *Draft) silence() {
	d.telling.Lock()
	defer d.telling.Unlock()
	d.silent = true
}

// toldBytes bounds the size of a report.
const toldBytes = 1 << 16

// Told returns the latest report of Draft.Tell or Store.Tell, and its time, without taking the lock. If there is none,
// the error is that of the system. A build that was stopped or killed leaves its last report for the run that
// continues it.
func Told(dir string) (text []byte, at time.Time, err error) {
	home, err := openHome(dir)
	if err != nil {
		return nil, at, err
	}
	defer home.Close()
	info, err := home.Lstat(toldPath)
	if err == nil {
		text, err = home.ReadFile(toldPath, toldBytes)
	}
	if err != nil {
		return nil, at, fmt.Errorf("store: %w", err)
	}
	return text, info.ModTime(), nil
}
