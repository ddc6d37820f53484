// Package livefiles names the files of package living beside a sealed store, and finds out whether any
// shows that rows were put or deleted.
package livefiles

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"github.com/knng/knng/store/internal/rooted"
	"github.com/knng/knng/store/internal/storeerr"
)

// Folder is that of the files within the directory of a store.
const Folder = "living"

// Current is the file that names the manifest that counts.
const Current = Folder + "/CURRENT"

// A log has a header, and nothing behind it where it has no operations. The header ends with two durable lengths, each with its hash.
const (
	LogHeader = 80
	LogMarks  = 48 // where the first of them stands
	LogMark   = 16 // bytes of one
)

// Log is the name of a log.
func Log(number uint64) string { return fmt.Sprintf("%s/log-%06d", Folder, number) }

// Is reports whether a path below the directory of a store is a file or folder of a kind, such as "log-", and a number.
func Is(name, kind string) bool {
	rest, ok := strings.CutPrefix(name, Folder+"/"+kind)
	return ok && rest != "" && strings.Trim(rest, "0123456789") == ""
}

// HasOperations reports whether a log that a manifest names has any, promised or not: one that is shorter than
// its header, or has not the durable lengths of an empty log, lost them.
func HasOperations(dir *rooted.Dir, log string) (bool, error) {
	info, err := dir.Lstat(log)
	if err != nil || info.Size() != LogHeader {
		return err == nil, err
	}
	head, err := dir.ReadFile(log, LogHeader)
	if err != nil || len(head) != LogHeader {
		return err == nil, err
	}
	empty := func(at int) bool { return binary.LittleEndian.Uint64(head[at:]) == LogHeader }
	return !empty(LogMarks) || !empty(LogMarks+LogMark), nil
}

// Written returns a file that shows a transaction or a compaction, "" where there is none: a writer that
// ended before either leaves empty logs at most, or the beginnings of one that no manifest names.
func Written(dir *rooted.Dir) (name string, err error) {
	names, err := dir.List(Folder)
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	for _, name := range names {
		name = Folder + "/" + name
		wrote := Is(name, "base-") || Is(name, "rows-")
		if Is(name, "log-") {
			var info fs.FileInfo
			if info, err = dir.Lstat(name); errors.Is(err, fs.ErrNotExist) { // a writer swept it
				err = nil
			} else if err == nil {
				wrote = info.Size() > LogHeader
			}
		}
		if wrote || err != nil {
			return name, err
		}
	}
	if err != nil {
		return "", err
	}
	return lost(dir)
}

// lost returns a log that the manifest that counts names and that is not there, or has lost operations. A manifest
// that cannot be read may name one.
func lost(dir *rooted.Dir) (name string, err error) {
	for {
		current, err := dir.ReadFile(Current, 100)
		if errors.Is(err, fs.ErrNotExist) {
			return "", nil
		}
		if err != nil {
			return "", err
		}
		name := lostOf(dir, strings.TrimSpace(string(current)))
		if again, err := dir.ReadFile(Current, 100); name == "" || err == nil && bytes.Equal(again, current) {
			return name, nil
		} // a writer swept these files
	}
}

// lostOf is lost of a manifest.
func lostOf(dir *rooted.Dir, manifest string) string {
	var m struct{ Logs []uint64 }
	text, err := dir.ReadFile(Folder+"/"+manifest, 1<<20)
	if err == nil {
		err = json.NewDecoder(bytes.NewReader(text)).Decode(&m) // its checksum follows
	}
	if err != nil {
		return Current
	}
	for _, number := range m.Logs {
		if wrote, err := HasOperations(dir, Log(number)); wrote || err != nil {
			return Log(number)
		}
	}
	return ""
}

// Refuse is nil where nothing was written to the store in dir since it was built, else storeerr.ErrLiving.
func Refuse(dir *rooted.Dir) error {
	name, err := Written(dir)
	if err != nil {
		return fmt.Errorf("store: %w", err)
	}
	if name == "" {
		return nil
	}
	return Error(dir.Name())
}

// Error is the ErrLiving of a store.
func Error(dir string) error {
	return fmt.Errorf("%w: open %s with package store/living; the commands search, neighbors, info, recall, export and analyze read such stores",
		storeerr.ErrLiving, dir)
}
