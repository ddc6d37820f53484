package gofuncs

// hash is FNV-1a over the bytes, in 64 bits, and then mixed: FNV alone leaves
// its high bits poor for short texts, and they choose the element.
func hash(text []byte) uint64 {
	h := uint64(14695981039346656037)
	for _, b := range text {
		h = (h ^ uint64(b)) * 1099511628211
	}
	return mix(h)
}

// mix spreads every bit of h over all bits of the result.
func mix(h uint64) uint64 {
	const golden = 0x9e3779b97f4a7c15 // 2^64 over the golden ratio, odd
	h += golden
	h = (h ^ h>>32) * golden
	h = (h ^ h>>29) * golden
	return h ^ h>>32
}

// slot is the element of a row of dim elements that a hash adds to, and its
// sign: the high half scaled to dim, and the lowest bit.
func slot(h uint64, dim int) (at int, sign int64) {
	return int((h >> 32) * uint64(dim) >> 32), 1 - int64(h&1)<<1
}
