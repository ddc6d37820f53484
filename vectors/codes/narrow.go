package codes

import (
	"encoding/binary"
	"fmt"

	"github.com/knng/knng/vectors"
	"github.com/knng/knng/vectors/internal/simd"
)

// narrowed is the codes of a matrix that are near 128 in some groups, which some kernels multiply
// faster (simd.Narrowing). Tiles whose rows are all as narrow have the same distances.
type narrowed struct {
	kernel *simd.Codes
	less   []uint32 // of the norm of each row as a column
	beyond []uint64 // a bit for each row that is not as narrow
}

// beyondShare limits the rows that are not as narrow to one in so many. With more of them, hardly any
// tile of 500 rows would be without one.
const beyondShare = 8192

// Narrow has tiles compare groups faster in which nearly all rows are near 128, where the kernel
// can. Distances stay as they are. Rows along axes vary less along the later ones.
func (m *Matrix) Narrow(threads int) error {
	m.narrow = nil
	if m.groups%simd.NarrowStep != 0 || m.kernel.OfNarrow(simd.Narrowing{Groups: m.groups}) == nil {
		return nil
	}
	kernel, err := simd.Choose()
	if err != nil {
		return fmt.Errorf("codes: %w", err)
	}
	needs, err := m.needs(threads)
	if err != nil {
		return err
	}
	of := m.narrowing(needs)
	n := &narrowed{kernel: m.kernel.OfNarrow(of), less: needs, beyond: make([]uint64, (m.n+63)/64)}
	if n.kernel == nil {
		return nil
	}
	for i, x := range needs {
		if wide, pairs := need(x).groups(); wide > of.Wide || pairs > of.Pairs {
			n.beyond[i/64] |= 1 << (i % 64)
		}
	}
	m.narrow = n
	return m.lessen(kernel, of, threads)
}

// A need is how many steps of the first groups of a row are wide, and how many wide or pairs.
type need uint32

func (n need) groups() (wide, pairs int) {
	return simd.NarrowStep * int(n>>16), simd.NarrowStep * int(n&(1<<16-1))
}

// needs are those of all rows.
func (m *Matrix) needs(threads int) ([]uint32, error) {
	needs := make([]uint32, m.n)
	return needs, vectors.Ranges(threads, m.n, fillRows, func() func(from, to int) error {
		return func(from, to int) error {
			for i := from; i < to; i++ {
				needs[i] = uint32(needOf(m.row(i)))
			}
			return nil
		}
	})
}

// needOf looks at a row from its end, until a step of groups is wide.
func needOf(row []byte) need {
	const step = 4 * simd.NarrowStep
	pairs := 0
	for last := len(row) / step; last > 0; last-- {
		var beyondPairs, beyondFours uint64
		for at := step * (last - 1); at < step*last; at += 8 {
			x := binary.LittleEndian.Uint64(row[at:])
			beyondPairs |= below(x, simd.PairsLeast) | below(^x, simd.PairsLeast)
			beyondFours |= below(x, simd.FoursLeast) | below(^x, simd.FoursLeast-1)
		}
		if beyondFours != 0 {
			pairs = max(pairs, last)
		}
		if beyondPairs != 0 {
			return need(last<<16 | pairs)
		}
	}
	return need(pairs)
}

// narrowing leaves few rows beyond.
func (m *Matrix) narrowing(needs []uint32) simd.Narrowing {
	wide, pairs := make([]int, m.groups+1), make([]int, m.groups+1) // rows that need so many groups
	for _, x := range needs {
		w, p := need(x).groups()
		wide[w]++
		pairs[p]++
	}
	few := m.n / beyondShare
	n := simd.Narrowing{Wide: fewest(wide, few), Groups: m.groups}
	n.Pairs = max(n.Wide, fewest(pairs, few))
	return n
}

// fewest is the least number that all but a few are at most, of how many there are of each.
func fewest(counts []int, few int) int {
	least := len(counts) - 1
	for ; least > 0 && counts[least] <= few; least-- {
		few -= counts[least]
	}
	return least
}

// below is not 0 if any of eight bytes is below some least, which is at most 128.
func below(x, least uint64) uint64 {
	const ones = 0x0101010101010101
	return (x - ones*least) &^ x & (128 * ones)
}

// lessen computes by how much the norms of columns are less.
func (m *Matrix) lessen(kernel *simd.Kernel, of simd.Narrowing, threads int) error {
	takes, all := make([]byte, 4*m.groups), uint32(0)
	for i := 4 * of.Wide; i < len(takes); i++ {
		takes[i] = simd.PairsLeast
		if i >= 4*of.Pairs {
			takes[i] = simd.FoursLeast
		}
		all += uint32(takes[i])
	}
	return vectors.Ranges(threads, m.n, fillRows, func() func(from, to int) error {
		ids := numbers(addRows)
		return func(from, to int) error {
			for ; from < to; from += addRows {
				less := m.narrow.less[from:min(from+addRows, to)]
				kernel.DotU8(takes, m.data[from*m.stride:], m.stride, 4*m.groups, ids[:len(less)], less)
				for i, x := range less {
					less[i] = 2 * (x - 128*all)
				}
			}
			return nil
		}
	})
}

// anyBeyond reports whether any of some rows is not as narrow as it must be.
func (n *narrowed) anyBeyond(places []uint32) bool {
	for _, p := range places {
		if n.beyond[p/64]>>(p%64)&1 != 0 {
			return true
		}
	}
	return false
}
