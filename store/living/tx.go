package living

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/knng/knng/store"
	"github.com/knng/knng/store/living/internal/oplog"
	"github.com/knng/knng/store/living/internal/tail"
	"github.com/knng/knng/vectors"
)

// A Tx is a transaction: operations that take effect together, or not at all. It is valid within the function
// that Update calls, and belongs to one goroutine.
type Tx struct {
	db   *DB
	st   *state
	snap *snapshot

	ops   []oplog.Op
	bytes int
	rows  uint64            // number of rows that are put
	ids   map[string]uint64 // present row of each id; NoRow if dropped
	dead  map[uint64]bool
	named map[uint64]string // ids of rows put
	err   error             // of the database; the transaction fails
	sizes tail.Sizes        // of rows of float32, including those put, if there is no base
}

// Update runs fn and makes its operations durable: when Update returns nil, they are on disk, and every later
// view sees them. If fn returns an error, or panics, none of them happens. Transactions run one after the
// other. fn must not call Update, Wait or Close, which would wait for it forever; Integrate and Compact would
// wait until their context ends.
//
// Errors: fn's; ErrFull; ErrTooLarge; ErrClosed; ErrBroken if the disk failed, now or earlier. With
// Options.Auto also ErrIntegrate and ErrCompact, which say that the operations are durable.
func (db *DB) Update(fn func(tx *Tx) error) error {
	if db.opts.Rebuild != nil {
		db.slow()
	}
	if err := db.update(fn); err != nil || !db.opts.Auto {
		return err
	}
	return db.auto()
}

func (db *DB) update(fn func(tx *Tx) error) error {
	db.mu.Lock()
	defer db.mu.Unlock()
	if err := db.usable(); err != nil {
		return err
	}
	snap := db.st.now.Load()
	tx := &Tx{db: db, st: db.st, snap: snap, sizes: snap.part.Sizes(), ids: map[string]uint64{}, dead: map[uint64]bool{}, named: map[uint64]string{}}
	err := fn(tx)
	tx.db = nil
	if err == nil {
		err = tx.err
	}
	if err != nil || len(tx.ops) == 0 {
		return err
	}
	return db.commit(tx)
}

func (db *DB) commit(tx *Tx) error {
	if err := db.log.Append(tx.ops); errors.Is(err, ErrTooLarge) {
		return err
	} else if err != nil {
		return db.fail(err)
	}
	st := db.st
	st.writing.Lock()
	defer st.writing.Unlock()
	for i := range tx.ops {
		if err := st.apply(&tx.ops[i]); err != nil {
			return db.fail(fmt.Errorf("operation %d of a transaction: %w", i, err))
		}
	}
	end, _ := db.log.End()
	st.publish(end)
	return nil
}

// errEnded says that a Tx was used after its function had returned.
var errEnded = errors.New("living: the transaction has ended")

// Put adds a row with an external id, "" for none, and returns its number, which no other row ever gets. A
// live row with the same id is deleted. Ids are UTF-8 of 1 to 4096 bytes without line feeds; Int makes them
// from numbers. Elements must be finite and fit the store's type: whole numbers for bytes; float16 rounds.
//
// Errors: ErrVector, ErrID, ErrFull, ErrTooLarge; after these the transaction can go on.
func (tx *Tx) Put(id string, vector []float32) (store.Row, error) {
	if tx.db == nil {
		return 0, errEnded
	}
	raw, err := tx.encode(vector)
	if err != nil {
		return 0, err
	}
	if uint64(tx.snap.part.Len())+tx.rows >= uint64(tx.db.opts.Tail) {
		return 0, fmt.Errorf("%w: %d rows wait", ErrFull, tx.db.opts.Tail)
	}
	old := uint64(oplog.NoRow)
	if id != "" {
		if err := checkID(id); err != nil {
			return 0, err
		}
		if old, err = tx.find(id); err != nil && !errors.Is(err, ErrNoID) {
			return 0, err
		}
	}
	if err := tx.room(len(id) + len(raw)); err != nil {
		return 0, err
	}
	row := tx.st.nextRow() + tx.rows
	tx.rows++
	if tx.alone() {
		tx.sizes.Add(raw)
	}
	tx.drop(old)
	if id != "" {
		tx.ids[id], tx.named[row] = row, id
	}
	tx.ops = append(tx.ops, oplog.Op{Kind: oplog.Put, Row: old, ID: id, Vector: raw})
	return store.Row(row), nil
}

// room counts the bytes of an operation.
func (tx *Tx) room(n int) error {
	if n += opBytes; tx.bytes+n > oplog.MaxFrame {
		return ErrTooLarge
	}
	tx.bytes += n
	return nil
}

// Delete deletes the row of an id. Errors: ErrNoID, after which the transaction can go on; ErrCorrupt.
func (tx *Tx) Delete(id string) error {
	if tx.db == nil {
		return errEnded
	}
	row, err := tx.find(id)
	if err != nil {
		return err
	}
	return tx.delete(row)
}

// DeleteRow deletes a row by its number. Errors: ErrNoRow, after which the transaction can go
// on.
func (tx *Tx) DeleteRow(row store.Row) error {
	if tx.db == nil {
		return errEnded
	}
	put := uint64(row) >= tx.st.nextRow() && uint64(row) < tx.st.nextRow()+tx.rows
	if !put {
		if _, _, err := tx.st.locate(tx.snap, uint64(row)); err != nil {
			return err
		}
	}
	if tx.dead[uint64(row)] {
		return fmt.Errorf("%w: %d is deleted twice in one transaction", ErrNoRow, row)
	}
	return tx.delete(uint64(row))
}

func (tx *Tx) delete(row uint64) error {
	if err := tx.room(0); err != nil {
		return err
	}
	tx.drop(row)
	tx.ops = append(tx.ops, oplog.Op{Kind: oplog.Delete, Row: row})
	return nil
}

// drop notes that a row is dead from now on.
func (tx *Tx) drop(row uint64) {
	if row == oplog.NoRow {
		return
	}
	tx.dead[row] = true
	if id, ok := tx.named[row]; ok {
		tx.ids[id] = oplog.NoRow
	}
}

// find returns the row of an id, as this transaction left it; NoRow with an error if there is none.
func (tx *Tx) find(id string) (uint64, error) {
	if row, ok := tx.ids[id]; ok {
		if row == oplog.NoRow {
			return oplog.NoRow, noID(id)
		}
		return row, nil
	}
	row, err := tx.st.find(tx.snap, id)
	if err == nil && tx.dead[row] {
		err = noID(id)
	}
	if err != nil {
		return oplog.NoRow, err
	}
	return row, nil
}

// RowOf returns the live row of an id, as this transaction left it. Errors: ErrNoID, ErrCorrupt.
func (tx *Tx) RowOf(id string) (store.Row, error) {
	if tx.db == nil {
		return 0, errEnded
	}
	row, err := tx.find(id)
	if err != nil {
		return 0, err
	}
	return store.Row(row), nil
}

// mostNorm is the largest squared norm of a row: less than the limit of builds, which sum in another order.
const mostNorm = vectors.LargestNorm * (1 - 1e-9)

// encode makes a row of a vector. Without a base, rows are multiplied by a power of two that suits all of
// them.
func (tx *Tx) encode(vector []float32) ([]byte, error) {
	st := tx.st
	if len(vector) != st.dim {
		return nil, fmt.Errorf("%w: %d elements, the rows have %d", ErrVector, len(vector), st.dim)
	}
	whole := st.typ == vectors.Uint8 || st.typ == vectors.Int8
	sum := 0.0
	for i, x := range vector {
		if x-x != 0 || whole && x != float32(int(x)) {
			return nil, fmt.Errorf("%w: element %d is %v, the rows are %v", ErrVector, i, x, st.typ)
		}
		if st.scale != 0 {
			x = vectors.Scale(x, st.scale)
		}
		sum += float64(x) * float64(x)
	}
	if sum == 0 && st.metric.ZeroIsBad() {
		return nil, fmt.Errorf("%w: all its elements are 0, and %v compares directions", ErrVector, st.metric)
	}
	if st.metric.ConstantIsBad() && allEqual(vector) {
		return nil, fmt.Errorf("%w: its elements are all equal, which have no %v", ErrVector, st.metric)
	}
	if !tx.alone() && sum > mostNorm {
		return nil, fmt.Errorf("%w: its squared norm is %.3g, and float32 does not hold that of its difference from the rows that are there: leave it out, or build all rows anew if most are as large, which scales them",
			ErrVector, math.Ldexp(sum, -2*st.scale))
	}
	raw := make([]byte, st.dim*st.typ.Size())
	if err := vectors.Encode(st.typ, vector, raw); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrVector, err)
	}
	if tx.alone() && !tx.sizes.Bear(raw) {
		return nil, fmt.Errorf("%w: its norm is %.3g, and float32 does not hold the squares of its elements and of those of the rows that were put, deleted ones too: leave it out, or delete the rows that are far larger or smaller and compact",
			ErrVector, math.Sqrt(sum))
	}
	if !st.tail.Compares(raw) { // as float16, or less its mean
		return nil, fmt.Errorf("%w: rounded to %v all its elements are 0, or all equal, which have no %v", ErrVector, st.typ, st.metric)
	}
	return raw, nil
}

// alone reports whether no base scales the rows: they are of float32, and are scaled by the sizes of all.
func (tx *Tx) alone() bool { return tx.st.base == nil && tx.st.typ == vectors.Float32 }

func allEqual(vector []float32) bool {
	return !slices.ContainsFunc(vector, func(x float32) bool { return x != vector[0] })
}
