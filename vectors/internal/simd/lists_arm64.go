//go:build arm64 && !noasm

package simd

func merge(list []uint64, d, ids []uint32, self uint32) {
	if len(ids) > 0 {
		mergeNEON(&list[0], len(list), &d[0], &ids[0], len(ids), self)
	}
}

// mergeNEON is Merge; k and n are at least 1.
//
//go:noescape
func mergeNEON(list *uint64, k int, d, ids *uint32, n int, self uint32)
