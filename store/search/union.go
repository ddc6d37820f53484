package search

import "sync/atomic"

// A union is a union-find of places, for several goroutines at once without a lock: after Anderson and Woll,
// "Wait-free parallel algorithms for the union-find problem" (1991), with path halving. Each place points at a
// smaller one of its component, or at itself, so that the first place of a component is its root however
// goroutines take turns.
type union []uint32

// newUnion has n places, each a component of its own.
func newUnion(n int) union {
	u := make(union, n)
	for i := range u {
		u[i] = uint32(i)
	}
	return u
}

// first is the first place of the component of p, as far as it is known.
func (u union) first(p uint32) uint32 {
	for {
		above := atomic.LoadUint32(&u[p])
		top := atomic.LoadUint32(&u[above])
		if above == top {
			return top
		}
		atomic.CompareAndSwapUint32(&u[p], above, top) // where another goroutine was faster, it pointed p at a smaller place
		p = top
	}
}

// unite makes one component of that of p and those of others; noLink among these is no place.
func (u union) unite(p uint32, others []uint32) {
	root := u.first(p)
	for _, other := range others {
		if other != noLink && atomic.LoadUint32(&u[other]) != root {
			root = u.uniteTwo(root, other)
		}
	}
}

// uniteTwo makes one component of those of a and b, and returns its first place.
func (u union) uniteTwo(a, b uint32) uint32 {
	for {
		a, b = u.first(a), u.first(b)
		if a == b {
			return a
		}
		if a > b {
			a, b = b, a
		}
		if atomic.CompareAndSwapUint32(&u[b], b, a) { // else b is no root any more
			return a
		}
	}
}
