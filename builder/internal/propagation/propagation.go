// Package propagation looks at neighbors of neighbors, best first: section
// "Neighborhood propagation" of Wang et al., "Scalable k-NN graph construction".
//
// For a row p, the neighbors of p enter a priority queue with the nearest to p
// on top; the top is popped and its unvisited neighbors are pushed, until the
// queue is empty or T points have been visited. Every visited point is a
// candidate for p, and p for it.
//
// It departs from the paper in one point: all rows read the lists of one generation, and the candidates make
// the next one (the paper updates the lists that it reads). The result then does not depend on any order, and
// a round can be cut into blocks that are done anywhere, again, or in parallel.
package propagation

// Lists is the generation that is read.
type Lists interface {
	// List returns the neighbors of a place and their keys, nearest first.
	List(place uint32) (ids []uint32, keys []float32)
}

// Keys evaluates keys between place x and the places ids into out, and returns the number of distances that
// it computed.
type Keys func(x uint32, ids []uint32, out []float32) (evaluated int, err error)

// Count is the number of pairs requested, and of pairs evaluated.
type Count struct{ Requested, Evaluated int64 }

// BestFirst visits around one place at a time. It holds buffers; each goroutine has one.
type BestFirst struct {
	lists  Lists
	keys   Keys
	rowOf  []uint32 // decides ties; nil is the identity
	visits int
	reuse  bool

	seen  visited
	heap  []candidate
	ids   []uint32
	found []float32
	count Count
}

type candidate struct {
	key float32
	id  uint32
}

// New returns a searcher that visits at most visits points around a place. With reuse, it takes keys from the
// place's own list if they are there: requested, but not evaluated again.
func New(lists Lists, keys Keys, rowOf []uint32, visits int, reuse bool) *BestFirst {
	return &BestFirst{lists: lists, keys: keys, rowOf: rowOf, visits: visits, reuse: reuse,
		seen: newVisited(visits + 1), ids: make([]uint32, 0, visits), found: make([]float32, visits)}
}

// Around returns every point visited around p with its key, in the order of
// visiting. The slices are valid until the next call.
func (b *BestFirst) Around(p uint32) (ids []uint32, keys []float32, err error) {
	b.heap, b.ids = b.heap[:0], b.ids[:0]
	b.seen.reset()
	b.seen.add(p)
	if err := b.start(p); err != nil {
		return nil, nil, err
	}
	for len(b.heap) > 0 && len(b.ids) < b.visits {
		if err := b.expand(p, b.pop()); err != nil {
			return nil, nil, err
		}
	}
	return b.ids, b.found[:len(b.ids)], nil
}

// Count returns the pairs requested and evaluated since New.
func (b *BestFirst) Count() Count { return b.count }

// start visits the neighbors of p.
func (b *BestFirst) start(p uint32) error {
	if !b.reuse {
		return b.expand(p, p)
	}
	ids, keys := b.lists.List(p)
	n := min(len(ids), b.visits)
	for i, id := range ids[:n] {
		b.seen.add(id)
		b.ids = append(b.ids, id)
		b.found[i] = keys[i]
		b.push(candidate{keys[i], id})
	}
	b.count.Requested += int64(n)
	return nil
}

// expand visits the unvisited neighbors of q, as many as may still be visited,
// nearest to q first.
func (b *BestFirst) expand(p, q uint32) error {
	from := len(b.ids)
	ids, _ := b.lists.List(q)
	for _, id := range ids {
		if len(b.ids) == b.visits {
			break
		}
		if b.seen.add(id) {
			b.ids = append(b.ids, id)
		}
	}
	fresh := b.ids[from:]
	if len(fresh) == 0 {
		return nil
	}
	keys := b.found[from:len(b.ids)]
	evaluated, err := b.keys(p, fresh, keys)
	b.count.Requested += int64(len(fresh))
	b.count.Evaluated += int64(evaluated)
	if err != nil {
		return err
	}
	for i, id := range fresh {
		b.push(candidate{keys[i], id})
	}
	return nil
}

// before orders the queue by (key, row).
func (b *BestFirst) before(x, y candidate) bool {
	if x.key != y.key {
		return x.key < y.key
	}
	if b.rowOf == nil {
		return x.id < y.id
	}
	return b.rowOf[x.id] < b.rowOf[y.id]
}

func (b *BestFirst) push(c candidate) {
	b.heap = append(b.heap, c)
	i := len(b.heap) - 1
	for i > 0 {
		up := (i - 1) / 2
		if !b.before(c, b.heap[up]) {
			break
		}
		b.heap[i] = b.heap[up]
		i = up
	}
	b.heap[i] = c
}

func (b *BestFirst) pop() uint32 {
	top := b.heap[0].id
	last := len(b.heap) - 1
	c := b.heap[last]
	b.heap = b.heap[:last]
	i := 0
	for {
		child := 2*i + 1
		if child >= last {
			break
		}
		if child+1 < last && b.before(b.heap[child+1], b.heap[child]) {
			child++
		}
		if !b.before(b.heap[child], c) {
			break
		}
		b.heap[i] = b.heap[child]
		i = child
	}
	if last > 0 {
		b.heap[i] = c
	}
	return top
}
