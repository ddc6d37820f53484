package recall

// OfList is the recall of one list: how many of the k nearest it holds, divided
// by min(k, n-1).
//
// truthKeys are the keys of the row's true nearest neighbors, ascending, of
// which the first k are looked at; fewer than k means that there are no more
// other rows. rows and keys are the list in any order, self the row that it
// belongs to. A row counts if it is not self, has not been counted, and its key
// is at most the k-th true key. Without any true neighbor the recall is 1.
func OfList(truthKeys []float32, rows []uint32, keys []float32, self uint32, k int) float64 {
	return OfAlike(truthKeys, rows, keys, self, k, 0)
}

// OfAlike is OfList where keys up to alike count as equal, as distance.Metric.Alike says; 0: none do.
func OfAlike(truthKeys []float32, rows []uint32, keys []float32, self uint32, k int, alike float32) float64 {
	truthKeys = truthKeys[:min(k, len(truthKeys))]
	if len(truthKeys) == 0 {
		return 1
	}
	return share(boundOf(truthKeys, alike), len(truthKeys), rows, keys, self)
}

// boundOf is the largest key that counts as a true neighbor's, of which there is one or more.
func boundOf(truthKeys []float32, alike float32) float32 {
	bound := truthKeys[len(truthKeys)-1]
	if alike > 0 { // without it keys may be negative
		bound = max(bound, alike)
	}
	return bound
}

// share counts distinct rows with keys up to bound, at most k, and divides by k.
func share(bound float32, k int, rows []uint32, keys []float32, self uint32) float64 {
	found := 0
	for i, row := range rows {
		if keys[i] <= bound && row != self && !repeated(rows[:i], row) {
			found++
		}
	}
	return float64(min(found, k)) / float64(k)
}

// repeated looks for a row among those before it: lists are short, and a set
// would have to be allocated.
func repeated(before []uint32, row uint32) bool {
	for _, r := range before {
		if r == row {
			return true
		}
	}
	return false
}
