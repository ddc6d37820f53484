package store

import (
	"encoding/json"
	"errors"
	"fmt"
	"time"
)

// toldPath is the file by which a running build tells how far it is.
const toldPath = scratchName + "/progress"

// Tell writes how far the build is, v as JSON, for those who ask without its lock (Told).
// It is not synced: what a crash leaves is of no use.
func (d *Draft) Tell(v any) error {
	text, err := json.Marshal(v)
	if err != nil {
		return fmt.Errorf("store: progress: %w", err)
	}
	f, err := d.home.Create(toldPath + newSuffix)
	if err == nil {
		_, err = f.Write(text)
		err = errors.Join(err, f.Close())
	}
	if err == nil {
		err = d.home.Rename(toldPath+newSuffix, toldPath)
	}
	if err != nil {
		return fmt.Errorf("store: progress: %w", err)
	}
	return nil
}

// Untell removes the file of Tell.
func (d *Draft) Untell() {
	_ = d.home.Remove(toldPath) // where it stays, it is old
}

// toldBytes is more than anybody tells.
const toldBytes = 1 << 16

// Told reads the latest report of a running build, and its time, without the lock. Where there is
// nothing, or no regular file, the error is one of the system.
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
