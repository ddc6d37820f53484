package store

import (
	"encoding/binary"
	"math"
	"path"

	"github.com/cespare/xxhash/v2"
)

// reverse checks that the in-neighbors are the lists turned around: each list in
// order, and over all of them the same entries. Two multisets of entries are
// compared by the sum of their hashes, in no memory; this finds faults, not
// forgery.
func (c *checker) reverse() error {
	if !c.reversed {
		return nil
	}
	var want, got uint64
	var entries int64
	err := c.store.EachKeyed(func(row Row, neighbors []uint32, keys []float32) error {
		for i, n := range neighbors {
			want += hashArc(uint32(row), n, keys[i])
		}
		entries += int64(len(neighbors))
		return c.progress("in-neighbors", row)
	})
	if err != nil {
		return err
	}
	err = c.store.EachIn(func(row Row, neighbors []uint32, keys []float32) error {
		for i, n := range neighbors {
			got += hashArc(n, uint32(row), keys[i])
			if i > 0 && (keys[i] < keys[i-1] || keys[i] == keys[i-1] && n <= neighbors[i-1]) {
				c.report.fault("row %d: in-neighbor %d is out of order", row, i)
			}
		}
		c.report.Reverse += int64(len(neighbors))
		return c.progress("in-neighbors", row)
	})
	if err == nil && (c.report.Reverse != entries || got != want) {
		c.report.fault("the in-neighbors, %d entries, are not those of the lists, %d entries", c.report.Reverse, entries)
	}
	if err == nil && c.store.in.view != nil {
		err = c.sameView(path.Join(reverseName, viewName), c.store.in.lists)
	}
	return err
}

// hashArc hashes one entry of the list of from.
func hashArc(from, to uint32, key float32) uint64 {
	var b [recordBytes]byte
	binary.LittleEndian.PutUint32(b[:], from)
	binary.LittleEndian.PutUint32(b[4:], to)
	binary.LittleEndian.PutUint32(b[8:], math.Float32bits(key))
	return xxhash.Sum64(b[:])
}
