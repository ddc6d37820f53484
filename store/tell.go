package store

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"
)

// toldName is the file by which a running build tells how far it is, in DIR/scratch.
const toldName = "progress"

// Tell writes how far the build is, v as JSON, for those who ask without its lock (Told).
// It is not synced: what a crash leaves is of no use.
func (d *Draft) Tell(v any) error {
	text, err := json.Marshal(v)
	if err != nil {
		return fmt.Errorf("store: progress: %w", err)
	}
	path := filepath.Join(d.dir, scratchName, toldName)
	if err := os.WriteFile(path+newSuffix, text, 0o666); err != nil {
		return fmt.Errorf("store: progress: %w", err)
	}
	if err := os.Rename(path+newSuffix, path); err != nil {
		return fmt.Errorf("store: progress: %w", err)
	}
	return nil
}

// Untell removes the file of Tell.
func (d *Draft) Untell() {
	os.Remove(filepath.Join(d.dir, scratchName, toldName)) // where it stays, it is old
}

// toldBytes is more than anybody tells.
const toldBytes = 1 << 16

// Told reads the latest report of a running build, and its time, without the lock. Where there is
// nothing, or no regular file, the error is one of the system.
func Told(dir string) (text []byte, at time.Time, err error) {
	path := filepath.Join(dir, scratchName, toldName)
	info, err := os.Lstat(path) // a pipe would wait for who writes
	if err == nil && !info.Mode().IsRegular() {
		err = fmt.Errorf("%s is no regular file", path)
	}
	if err != nil {
		return nil, at, fmt.Errorf("store: %w", err)
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, at, fmt.Errorf("store: %w", err)
	}
	defer f.Close()
	if text, err = io.ReadAll(io.LimitReader(f, toldBytes)); err != nil {
		return nil, at, fmt.Errorf("store: %w", err)
	}
	return text, info.ModTime(), nil
}
