package analysis

import (
	"cmp"
	"errors"
	"iter"
	"slices"

	"github.com/knng/knng/store"
)

// A Pair is an edge of the symmetrised graph: two rows of which at least one
// lists the other.
type Pair struct {
	A, B   uint32  // A < B
	Key    float32 // the smaller one, where a distance of one's own gave two
	Mutual bool    // each lists the other
}

// defaultMemory holds the lists of 1,600,000 rows with k = 20.
const defaultMemory = 256 << 20

// Pairs yields the symmetrised graph, every pair once, in an order that depends
// on the memory; those that are Mutual are the mutual k-NN graph. An error is
// yielded last, with no pair.
//
// It holds the lists of as many rows as fit into memory bytes (0 is 256 MiB), at
// least of one, and goes over all lists to find who lists these rows; then it
// holds those of the next. In-neighbors are not needed.
func Pairs(g Graph, memory int64) iter.Seq2[Pair, error] {
	if memory <= 0 {
		memory = defaultMemory
	}
	rows := int(max(1, memory/int64(8*g.K()+8)))
	return func(yield func(Pair, error) bool) {
		for from := 0; from < g.Len(); from += rows {
			h, err := hold(g, from, min(from+rows, g.Len()))
			if err == nil {
				err = h.pairs(g, yield)
			}
			if err == errStop {
				return
			}
			if err != nil {
				yield(Pair{}, err)
				return
			}
		}
	}
}

// errStop ends a pass that has seen enough.
var errStop = errors.New("stop")

// held are the lists of rows from, from+1, ..., each sorted by neighbor.
type held struct {
	from    int
	ends    []int // of each row's list, in entries
	entries []entry
}

type entry struct {
	neighbor uint32
	key      float32
}

// hold reads the lists of the rows from up to to.
func hold(g Graph, from, to int) (*held, error) {
	h := &held{from: from, ends: make([]int, 0, to-from), entries: make([]entry, 0, (to-from)*g.K())}
	err := g.EachKeyed(func(row store.Row, neighbors []uint32, keys []float32) error {
		if int(row) < from {
			return nil
		}
		if int(row) >= to {
			return errStop
		}
		begin := len(h.entries)
		for i, n := range neighbors {
			h.entries = append(h.entries, entry{n, keys[i]})
		}
		slices.SortFunc(h.entries[begin:], func(a, b entry) int { return cmp.Compare(a.neighbor, b.neighbor) })
		h.ends = append(h.ends, len(h.entries))
		return nil
	})
	if err == errStop {
		err = nil
	}
	return h, err
}

// list returns the entries of a row; ok is false where they are not held.
func (h *held) list(row uint32) (list []entry, ok bool) {
	i := int(row) - h.from
	if i < 0 || i >= len(h.ends) {
		return nil, false
	}
	begin := 0
	if i > 0 {
		begin = h.ends[i-1]
	}
	return h.entries[begin:h.ends[i]], true
}

// pairs yields the pairs of which the rows held are the listed end: of a mutual
// one, the larger row.
func (h *held) pairs(g Graph, yield func(Pair, error) bool) error {
	return g.EachKeyed(func(row store.Row, neighbors []uint32, keys []float32) error {
		for i, n := range neighbors {
			list, ok := h.list(n)
			if !ok {
				continue
			}
			p := Pair{A: min(uint32(row), n), B: max(uint32(row), n), Key: keys[i]}
			at, mutual := slices.BinarySearchFunc(list, uint32(row), func(e entry, row uint32) int { return cmp.Compare(e.neighbor, row) })
			if mutual {
				if n == p.A { // it is yielded from the other end
					continue
				}
				p.Key, p.Mutual = min(p.Key, list[at].key), true
			}
			if !yield(p, nil) {
				return errStop
			}
		}
		return nil
	})
}

// Reciprocity says how often neighbors list each other.
type Reciprocity struct {
	Entries int64   `json:"entries"`      // of all lists
	Pairs   int64   `json:"pairs"`        // edges of the symmetrised graph
	Mutual  int64   `json:"mutual_pairs"` // edges of the mutual graph
	Share   float64 `json:"share"`        // of entries that are returned: 2 Mutual / Entries
	Alone   int     `json:"alone"`        // rows with a list that no row in it returns
	Islands int     `json:"components"`   // of the mutual graph
}

// MeasureReciprocity compares the mutual graph with the symmetrised one; memory
// is that of [Pairs].
func MeasureReciprocity(g Graph, memory int64) (*Reciprocity, error) {
	r := new(Reciprocity)
	err := g.EachKeyed(func(_ store.Row, neighbors []uint32, _ []float32) error {
		r.Entries += int64(len(neighbors))
		if len(neighbors) > 0 {
			r.Alone++
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	returned := make([]bool, g.Len())
	meet := func(row uint32) {
		if !returned[row] {
			returned[row] = true
			r.Alone--
		}
	}
	islands := NewPartition(g.Len())
	for p, err := range Pairs(g, memory) {
		if err != nil {
			return nil, err
		}
		r.Pairs++
		if p.Mutual {
			r.Mutual++
			islands.Unite(p.A, p.B)
			meet(p.A)
			meet(p.B)
		}
	}
	r.Islands = islands.Len()
	if r.Entries > 0 {
		r.Share = 2 * float64(r.Mutual) / float64(r.Entries)
	}
	return r, nil
}
