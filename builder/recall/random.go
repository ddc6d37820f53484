package recall

import (
	"math/bits"

	"github.com/knng/knng/builder/internal/hashrand"
)

// random is splitmix64: the state is a counter that advances by an odd constant, and
// an output is the state hashed. It is not taken from math/rand, so that the rows
// drawn for a seed are the same whatever Go release compiles it.
type random struct{ state uint64 }

// golden is 2^64 divided by the golden ratio, made odd.
const golden = 0x9e3779b97f4a7c15

// newRandom starts the stream of a seed: streams of one seed begin at places
// hashed twice, and so do not overlap in practice.
func newRandom(seed, stream uint64) *random {
	return &random{state: hashrand.Mix(seed) ^ hashrand.Mix(hashrand.Mix(stream))}
}

func (r *random) next() uint64 {
	drawn := hashrand.Mix(r.state)
	r.state += golden
	return drawn
}

// below returns a number in [0, n), all equally likely: the high half of a
// product, where low halves that would favour some numbers are drawn again
// (Lemire 2019).
func (r *random) below(n uint64) uint64 {
	reject := -n % n // 2^64 mod n
	for {
		hi, lo := bits.Mul64(r.next(), n)
		if lo >= reject {
			return hi
		}
	}
}
