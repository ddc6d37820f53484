package cache

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/bloom"
	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/knng/knng/store/fence"
)

// Pairs keeps the keys of computed pairs in Pebble, for distances that cost
// more than looking them up: from some 20 µs a call on. Safe for concurrent use.
//
// A pair is one record: the key is a tag byte 21 and the two rows, smaller
// first, 8 bytes big-endian each; the value is the float32 key, little-endian.
// A record under tag 01 names the distance and its version: the keys of another
// distance are never mixed in.
//
// Add syncs if the last sync is 20 ms ago; otherwise the pairs are synced within 20 ms:
// a kill loses at most the pairs that were added in that time. The database is
// derived and may be deleted between runs.
type Pairs struct {
	db    *fence.DB
	cache *pebble.Cache

	working *inWork // pairs being evaluated, by Keys

	mu     sync.Mutex
	synced time.Time
	armed  *time.Timer // syncs what Add did not; nil where all was
	closed bool

	syncing sync.Mutex // held while the timer syncs
}

// syncEvery bounds the computing time that a kill can lose. A sync takes about
// a millisecond, so this costs a few percent; a tenth of it would cost a third.
const syncEvery = 20 * time.Millisecond

var (
	nameKey = []byte{0x01}
	pairTag = byte(0x21)
)

// ErrOtherDistance says that the pairs in a directory are another distance's.
var ErrOtherDistance = errors.New("cache: pairs of another distance")

// OpenPairs opens or creates the pairs in dir for a distance, which name and
// version identify. cacheBytes is the memory for Pebble's block cache. Errors:
// ErrOtherDistance; those of opening.
func OpenPairs(dir, name string, version int, cacheBytes int64) (*Pairs, error) {
	dir = filepath.Clean(dir)
	claim := fmt.Sprintf("%s v%d", name, version)
	if _, err := os.Stat(dir); errors.Is(err, fs.ErrNotExist) {
		if err := create(dir, claim, cacheBytes); err != nil {
			return nil, err
		}
	}
	return open(dir, claim, cacheBytes)
}

// create makes a database under another name and renames it: a crash while
// Pebble creates one leaves files that do not open.
func create(dir, claim string, cacheBytes int64) error {
	aside := dir + ".new"
	if err := os.RemoveAll(aside); err != nil {
		return fmt.Errorf("cache: %w", err)
	}
	p, err := open(aside, claim, cacheBytes)
	if err != nil {
		return err
	}
	if err := p.Close(); err != nil {
		return fmt.Errorf("cache: %w", err)
	}
	if err := os.Rename(aside, dir); err != nil {
		return fmt.Errorf("cache: %w", err)
	}
	return nil
}

func open(dir, claim string, cacheBytes int64) (*Pairs, error) {
	blocks := pebble.NewCache(cacheBytes)
	opts := &pebble.Options{FS: vfs.Default, Cache: blocks, MemTableSize: 8 << 20}
	// A lookup of a pair that is not there, the usual case, must not read.
	for i := range opts.Levels {
		opts.Levels[i].FilterPolicy = bloom.FilterPolicy(10)
	}
	db, err := fence.Open(dir, opts, nil)
	if err != nil {
		blocks.Unref()
		return nil, fmt.Errorf("cache: %s: %w", dir, err)
	}
	p := &Pairs{db: db, cache: blocks, working: newInWork()}
	if err := p.claim(dir, claim); err != nil {
		p.Close()
		return nil, err
	}
	return p, nil
}

// claim writes the distance's name into a new database and checks it in an old.
func (p *Pairs) claim(dir, want string) error {
	have, closer, err := p.db.Pebble.Get(nameKey)
	if errors.Is(err, pebble.ErrNotFound) {
		err := p.db.Do(func() error { return p.db.Pebble.Set(nameKey, []byte(want), pebble.Sync) })
		if err != nil {
			return fmt.Errorf("cache: %s: %w", dir, err)
		}
		return nil
	}
	if err != nil {
		return fmt.Errorf("cache: %s: %w", dir, err)
	}
	defer closer.Close()
	if string(have) != want {
		return fmt.Errorf("%w: %s holds %q, want %q", ErrOtherDistance, dir, have, want)
	}
	return nil
}

// pairKey puts the smaller row first: a pair has one record.
func pairKey(dst []byte, a, b uint64) []byte {
	dst = append(dst[:0], pairTag)
	dst = binary.BigEndian.AppendUint64(dst, min(a, b))
	return binary.BigEndian.AppendUint64(dst, max(a, b))
}

// Find returns the key of a pair, if it was computed before.
func (p *Pairs) Find(a, b uint64) (key float32, ok bool, err error) {
	var buf [17]byte
	value, closer, err := p.db.Pebble.Get(pairKey(buf[:0], a, b))
	if errors.Is(err, pebble.ErrNotFound) {
		return 0, false, nil
	}
	if err != nil {
		return 0, false, fmt.Errorf("cache: pair %d, %d: %w", a, b, err)
	}
	defer closer.Close()
	if len(value) != 4 {
		return 0, false, fmt.Errorf("cache: pair %d, %d: value of %d bytes, want 4", a, b, len(value))
	}
	return math.Float32frombits(binary.LittleEndian.Uint32(value)), true, nil
}

// Add keeps the keys of the pairs of row a with each of bs.
func (p *Pairs) Add(a uint64, bs []uint64, keys []float32) error {
	batch := p.db.Pebble.NewBatch()
	var buf [17]byte
	var value [4]byte
	for i, b := range bs {
		binary.LittleEndian.PutUint32(value[:], math.Float32bits(keys[i]))
		if err := batch.Set(pairKey(buf[:0], a, b), value[:], nil); err != nil {
			return fmt.Errorf("cache: %w", err)
		}
	}
	durability := p.durability()
	if err := p.db.Do(func() error { return batch.Commit(durability) }); err != nil {
		return fmt.Errorf("cache: %w", err) // the commit may hold the batch for ever
	}
	return batch.Close()
}

// durability syncs when the last sync is long enough ago, and else soon. Until then
// Pebble keeps the pairs in the process.
func (p *Pairs) durability() *pebble.WriteOptions {
	p.mu.Lock()
	defer p.mu.Unlock()
	if now := time.Now(); now.Sub(p.synced) >= syncEvery {
		p.synced = now
		return pebble.Sync
	}
	if p.armed == nil {
		p.armed = time.AfterFunc(syncEvery, p.sync)
	}
	return pebble.NoSync
}

// sync syncs the pairs that were added without a sync. If it fails, the next Add that syncs
// fails too and returns the error.
func (p *Pairs) sync() {
	p.syncing.Lock()
	defer p.syncing.Unlock()
	p.mu.Lock()
	p.armed = nil
	closed := p.closed
	if !closed {
		p.synced = time.Now()
	}
	p.mu.Unlock()
	if !closed {
		_ = p.db.Do(func() error { return p.db.Pebble.LogData(nil, pebble.Sync) })
	}
}

// Close flushes and closes the database, once. No other call may be running, or follow.
func (p *Pairs) Close() error {
	p.mu.Lock()
	if p.closed {
		p.mu.Unlock()
		return nil
	}
	p.closed = true
	if p.armed != nil {
		p.armed.Stop()
	}
	p.mu.Unlock()
	p.syncing.Lock() // until a sync has ended
	defer p.syncing.Unlock()
	err := p.db.Close()
	p.cache.Unref()
	return err
}
