package living

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/knng/knng/store"
	"github.com/knng/knng/store/living/internal/oplog"
	"github.com/knng/knng/store/living/internal/tail"
)

// Int returns the id of a row that a program numbers itself: the number in digits.
func Int(id int64) string { return strconv.FormatInt(id, 10) }

// unnamed begins the name of a row without id in a compacted base in which some rows have names; its number
// follows. Ids that are put do not begin with it. Those of a built store may; a compaction then puts another
// one in front.
const unnamed = "\x00"

// nameOf returns the name in a compacted base of a row with an id; "" is no id.
func nameOf(id string, row uint64) string {
	switch {
	case id == "":
		return unnamed + strconv.FormatUint(row, 10)
	case strings.HasPrefix(id, unnamed):
		return unnamed + id
	}
	return id
}

// idIn returns the id of a row from its name in a compacted base; "" if it has none.
func idIn(name string, row uint64) string {
	rest, ok := strings.CutPrefix(name, unnamed)
	switch {
	case ok && strings.HasPrefix(rest, unnamed):
		return rest
	case ok && rest == strconv.FormatUint(row, 10):
		return ""
	}
	return name
}

// checkID returns an error if a row may not have the id: ids are lines of a file of UTF-8.
func checkID(id string) error {
	switch {
	case id == "":
		return fmt.Errorf("%w: it is empty", ErrID)
	case len(id) > oplog.MaxID:
		return fmt.Errorf("%w: %d bytes, at most %d are kept", ErrID, len(id), oplog.MaxID)
	case !utf8.ValidString(id):
		return fmt.Errorf("%w: %q is not UTF-8", ErrID, id)
	case strings.ContainsRune(id, '\n') || strings.HasSuffix(id, "\r") || strings.HasPrefix(id, "\ufeff") || strings.HasPrefix(id, unnamed):
		return fmt.Errorf("%w: %q has a line feed, ends with a carriage return, or begins with a byte 0 or a byte-order mark", ErrID, id)
	}
	return nil
}

// find returns the live row of an id, in a snapshot.
func (st *state) find(snap *snapshot, id string) (row uint64, err error) {
	if at, ok := st.findTail(snap, id); ok {
		if at == tail.NoRow {
			return 0, noID(id)
		}
		return st.first + uint64(at), nil
	}
	if id == "" || st.base == nil || !st.base.g.Info().IDs {
		return 0, noID(id)
	}
	name := id
	if st.base.compacted {
		name = nameOf(id, 0) // no id is empty here
	}
	p, err := st.base.g.RowOf(name)
	if errors.Is(err, store.ErrNoID) {
		return 0, noID(id)
	}
	if err != nil {
		return 0, err
	}
	row = st.base.rows.row(uint32(p))
	if !st.base.isPlaced(uint32(p)) || !st.livesAt(uint32(p), snap.ops) {
		return 0, noID(id)
	}
	return row, nil
}

func noID(id string) error { return fmt.Errorf("%w: %q", ErrNoID, id) }

// findTail searches for an id among the rows of the tail. ok is true if one had it; if the last row with it
// is dead, row is tail.NoRow.
func (st *state) findTail(snap *snapshot, id string) (row uint32, ok bool) {
	st.ids.RLock()
	defer st.ids.RUnlock()
	row, ok = st.latest[id]
	if !ok {
		return 0, false
	}
	all := st.tail.After(snap.ops)
	for row != tail.NoRow && row >= snap.part.Len() {
		row = all.Before(row)
	}
	if row == tail.NoRow {
		return 0, false
	}
	if !snap.part.Live(row) {
		return tail.NoRow, true
	}
	return row, true
}

// idOf returns the id of a live row; "" if it has none.
func (st *state) idOf(snap *snapshot, row uint64) (string, error) {
	p, at, err := st.locate(snap, row)
	if err != nil {
		return "", err
	}
	if at != tail.NoRow {
		return snap.part.ID(at), nil
	}
	return st.baseID(p)
}

func (st *state) baseID(p uint32) (string, error) {
	if !st.base.g.Info().IDs {
		return "", nil
	}
	name, err := st.base.g.ID(store.Row(p))
	if err != nil || !st.base.compacted {
		return name, err
	}
	return idIn(name, st.base.rows.row(p)), nil
}

// locate finds a live row: in the tail, or else, with at being tail.NoRow, at position p of the base.
func (st *state) locate(snap *snapshot, row uint64) (p, at uint32, err error) {
	if row >= st.first {
		if d := row - st.first; d < uint64(snap.part.Len()) && snap.part.Live(uint32(d)) {
			return 0, uint32(d), nil
		}
	} else if p, ok := st.position(row); ok && st.livesAt(p, snap.ops) {
		return p, tail.NoRow, nil
	}
	return 0, 0, fmt.Errorf("%w: %d, which was deleted or never was there", ErrNoRow, row)
}

// vector appends the elements of a live row to dst[:0].
func (st *state) vector(snap *snapshot, row uint64, dst []float32) ([]float32, error) {
	p, at, err := st.locate(snap, row)
	if err != nil {
		return nil, err
	}
	return st.vectorAt(snap, p, at, dst)
}

func (st *state) vectorAt(snap *snapshot, p, at uint32, dst []float32) ([]float32, error) {
	if at == tail.NoRow {
		return st.base.s.Vector(store.Row(p), dst)
	}
	if cap(dst) < st.dim {
		dst = make([]float32, st.dim)
	}
	dst = dst[:st.dim]
	st.tail.Decode(snap.part.Row(at), dst)
	return dst, nil
}
