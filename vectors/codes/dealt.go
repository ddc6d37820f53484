package codes

import "github.com/knng/knng/vectors/internal/simd"

// Parts is how many parts ids are dealt to.
const Parts = 32

// PartOf is the part that an id is dealt to, like lots. 16 ids, one after the other, are of the same part.
func PartOf(id uint32) int { return simd.PartOf(id) }

// Dealt picks, in order, the entries of a list, as [Tile.Merge] makes them, whose ids are below n and of some parts, the
// first of them from. It writes their numbers in the list and their ids, and returns how many there are; numbers and ids
// have room for all entries and 16 elements more.
func Dealt(list []uint64, from, parts, n int, numbers, ids []uint32) int {
	kernel, err := simd.Choose()
	if err != nil {
		kernel = simd.Portable() // those who make codes are told
	}
	return kernel.Codes.Dealt(list, from, parts, n, numbers, ids)
}
