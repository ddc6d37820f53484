package rebuild

import (
	"fmt"
	"slices"

	"github.com/cespare/xxhash/v2"
)

// names yields the ids of all rows.
func (j *joined) names(yield func(string) bool) {
	for _, p := range j.parts {
		for id := range p.Names(&j.failed) {
			if !yield(id) {
				return
			}
		}
	}
}

// named reports whether the rows have ids. It returns ErrMerge unless all have distinct ids, or none has
// one. from are the paths of the stores, for messages.
func (j *joined) named(from []string) (bool, error) {
	hashes, with, without := []uint64(nil), "", ""
	for i, p := range j.parts {
		before, bare, first := len(hashes), 0, 0
		for id := range p.Names(&j.failed) {
			if id != "" {
				hashes = append(hashes, xxhash.Sum64String(id))
				continue
			}
			if bare++; bare == 1 {
				first = len(hashes) - before
			}
		}
		if j.failed != nil {
			return false, j.failed
		}
		if len(hashes) > before {
			with = from[i]
		}
		if bare > 0 {
			without = from[i]
		}
		if with == without && with != "" {
			return false, fmt.Errorf("%w: of the rows of %s %d have ids and %d, row %d first, have none: all must have one, or none", ErrMerge, with, len(hashes)-before, bare, p.Row(first))
		}
	}
	if with != "" && without != "" {
		return false, fmt.Errorf("%w: rows of %s have ids, and rows of %s have none", ErrMerge, with, without)
	}
	return with != "", j.distinct(from, hashes)
}

// distinct returns an error if an id occurs twice. It compares ids of equal hash, some hashes at a time.
func (j *joined) distinct(from []string, hashes []uint64) error {
	slices.Sort(hashes)
	twice := hashes[:0]
	for i := 1; i < len(hashes); i++ {
		if hashes[i] == hashes[i-1] {
			twice = append(twice, hashes[i])
		}
	}
	for some := range slices.Chunk(twice, 1024) {
		if err := j.differ(from, some); err != nil {
			return err
		}
	}
	return nil
}

// differ returns an error if two ids with one of the hashes, which ascend, are equal.
func (j *joined) differ(from []string, hashes []uint64) error {
	seen := map[string]string{}
	for i, p := range j.parts {
		for id := range p.Names(&j.failed) {
			if _, ok := slices.BinarySearch(hashes, xxhash.Sum64String(id)); !ok {
				continue
			}
			if first, ok := seen[id]; ok {
				return fmt.Errorf("%w: %s and %s both have the id %q: ids of merged graphs must differ", ErrMerge, first, from[i], id)
			}
			seen[id] = from[i]
		}
	}
	return j.failed
}
