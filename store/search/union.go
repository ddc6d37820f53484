package search

import "sync/atomic"

// A union is a union-find of places for several goroutines without a lock, after Anderson and Woll,
// "Wait-free parallel algorithms for the union-find problem" (1991), with path halving. Each place points at
// a smaller one of its component, or at itself. So the first place of a component is its root in any order of
// execution.
type union []uint32

// newUnion returns n places, each a component of its own.
func newUnion(n int) union {
	u := make(union, n)
	for i := range u {
		u[i] = uint32(i)
	}
	return u
}

// first returns the first place of the component of p, as far as it is known.
func (u union) first(p uint32) uint32 {
	for {
		above := atomic.LoadUint32(&u[p])
		top := atomic.LoadUint32(&u[above])
		if above == top {
			return top
		}
		atomic.CompareAndSwapUint32(&u[p], above, top) // if another goroutine was faster, p points at a smaller place
		p = top
	}
}

// unite joins the components of p and of others; noLink among these is no place.
func (u union) unite(p uint32, others []uint32) {
	root := u.first(p)
	for _, other := range others {
		if other != noLink && atomic.LoadUint32(&u[other]) != root {
			root = u.uniteTwo(root, other)
		}
	}
}

// uniteTwo joins the components of a and b, and returns the first place.
func (u union) uniteTwo(a, b uint32) uint32 {
	for {
		a, b = u.first(a), u.first(b)
		if a == b {
			return a
		}
		if a > b {
			a, b = b, a
		}
		if atomic.CompareAndSwapUint32(&u[b], b, a) { // otherwise b has ceased to be a root
			return a
		}
	}
}
