package living

import (
	"errors"

	"github.com/knng/knng/store"
	"github.com/knng/knng/store/living/internal/oplog"
)

// Errors that a program can test with errors.Is.
var (
	ErrLocked    = errors.New("living: the store is held for writing already")                                   // by another process, which the error names, or by another DB of this one
	ErrBroken    = errors.New("living: a write failed: nothing can be written until the store is opened anew")   // Update and Compact after that; the failed transaction may be there then, whole, or not
	ErrFull      = errors.New("living: the tail is full: compact the store")                                     // Options.Tail
	ErrVector    = errors.New("living: not a vector of this store")                                              // its dimension or elements
	ErrID        = errors.New("living: not an id")                                                               // see Tx.Put
	ErrBusy      = errors.New("living: a compaction, or an integration, is running already")                     // by this DB
	ErrCompact   = errors.New("living: the transaction is durable, but the compaction in the background failed") // Options.Rebuild
	ErrIntegrate = errors.New("living: the transaction is durable, but rows were not integrated")                // Options.Auto
	ErrWithin    = errors.New("living: the store is part of another, which would lose what is written here")     // its base
	ErrShape     = errors.New("living: the store has another shape")                                             // than Options.Create
	ErrTooLarge  = oplog.ErrTooLarge                                                                             // of a transaction
	ErrNoID      = store.ErrNoID                                                                                 // no live row has the id
	ErrNoRow     = store.ErrNoRow                                                                                // no such row, or it is dead
	ErrCorrupt   = store.ErrCorrupt
	ErrClosed    = store.ErrClosed
	ErrOffsets   = errors.New("living: no rows are put, deleted or merged here: the rows, of float64, are held less an offset for each column, as float32 would not tell them apart; build the store of rows less their means, x - x.mean(axis=0), and put rows less the same") // store.Manifest.Offsets
)
