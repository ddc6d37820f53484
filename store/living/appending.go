package living

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"

	"github.com/knng/knng/store/living/internal/disk"
	"github.com/knng/knng/store/living/internal/oplog"
	"github.com/knng/knng/store/living/internal/pointer"
)

const (
	defaultTail = 1 << 18
	opBytes     = 32 // counted for an operation, besides its id and vector
)

// Most returns how many rows without ids a transaction can put: Options.Tail, or fewer if they would be
// ErrTooLarge. A transaction that is not the first since a compaction may return ErrFull with fewer.
func (db *DB) Most() int {
	db.swap.Lock()
	defer db.swap.Unlock()
	return min(db.opts.Tail, oplog.MaxFrame/(db.st.dim*db.st.typ.Size()+opBytes))
}

// An Appending is a note about rows without ids that are being put. Rows are numbered without gaps, so the
// next row shows how many of them are stored: a program that was interrupted and is run again puts each once.
type Appending struct {
	First uint64 `json:"first_row"`      // number of the first of the rows
	Once  int    `json:"once,omitempty"` // their number, if one transaction puts them all; 0: several do
}

// The note is a file in pointer.Folder.
const (
	appendingName  = "appending"
	appendingBytes = 1000 // at most
)

// Appending returns the latest note, or nil if there is none. Errors: ErrCorrupt; those of the system.
func (db *DB) Appending() (*Appending, error) {
	data, err := db.home.ReadFile(pointer.Folder+"/"+appendingName, appendingBytes)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	a := new(Appending)
	if err := json.Unmarshal(data, a); err != nil {
		return nil, fmt.Errorf("%w: %s: %w", ErrCorrupt, db.home.Path(pointer.Folder+"/"+appendingName), err)
	}
	return a, nil
}

// NoteAppending writes the note durably, replacing an earlier one; nil removes it. A program removes it last:
// if it is killed before it ends, its success is unknown. So the removal is not synced, which would take most
// of its time; if a power cut brings the note back, the program is likely run again. Errors: ErrClosed;
// ErrBroken; those of the system, after which the store is unchanged.
func (db *DB) NoteAppending(a *Appending) error {
	db.mu.Lock()
	defer db.mu.Unlock()
	if err := db.usable(); err != nil {
		return err
	}
	if a == nil {
		if err := db.log.Finish(); err != nil { // so that the following Close need not wait
			return db.fail(err)
		}
		return db.fs.RemoveAll(pointer.Folder + "/" + appendingName)
	}
	data, err := json.Marshal(a)
	if err != nil {
		return err
	}
	return disk.Write(db.fs, pointer.Folder, appendingName, data)
}
