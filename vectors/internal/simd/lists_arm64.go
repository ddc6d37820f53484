//go:build arm64 && !noasm

package simd

// unlisted gives a list of less than 16 that length: what stands in it twice is
// in it all the same.
func unlisted(list, d, ids []uint32, self uint32) int {
	if len(list) == 0 || len(ids) == 0 {
		return unlistedGo(list, d, ids, self)
	}
	if len(list) < 16 {
		var long [16]uint32
		for i := range long[copy(long[:], list):] {
			long[len(list)+i] = list[0]
		}
		list = long[:]
	}
	return unlistedNEON(&list[0], len(list), &d[0], &ids[0], len(ids), self)
}

func merge(list []uint64, d, ids []uint32, self uint32) {
	if len(ids) > 0 {
		mergeNEON(&list[0], len(list), &d[0], &ids[0], len(ids), self)
	}
}

// unlistedNEON is Unlisted; k is at least 16, n at least 1.
//
//go:noescape
func unlistedNEON(list *uint32, k int, d, ids *uint32, n int, self uint32) int

// mergeNEON is Merge; k and n are at least 1.
//
//go:noescape
func mergeNEON(list *uint64, k int, d, ids *uint32, n int, self uint32)
