package vectors

import "slices"

// repeats is how many hashes equal one before them. It reorders them: to 256 groups by
// their highest byte, each of which a thread sorts.
func repeats(hashes []uint64, threads int) (count int, err error) {
	const groups = 256
	var next, ends [groups]int
	for _, h := range hashes {
		ends[h>>56]++
	}
	at := 0
	for g, size := range ends {
		next[g], at = at, at+size
		ends[g] = at
	}
	starts := next
	for g := range groups {
		for next[g] < ends[g] {
			// The row here goes to its place, until the row that belongs here comes.
			h := hashes[next[g]]
			for to := h >> 56; to != uint64(g); to = h >> 56 {
				h, hashes[next[to]] = hashes[next[to]], h
				next[to]++
			}
			hashes[next[g]] = h
			next[g]++
		}
	}
	var found [groups]int
	err = Ranges(threads, groups, 1, func() func(from, to int) error {
		return func(g, _ int) error {
			group := hashes[starts[g]:ends[g]]
			slices.Sort(group)
			found[g] = len(group) - len(slices.Compact(group))
			return nil
		}
	})
	for _, n := range found {
		count += n
	}
	return count, err
}
