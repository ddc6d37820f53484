package main

import (
	"cmp"
	"slices"
)

// score is how well one object was found, after section "Applications": the
// precision, recall and F-measure of the cluster that has most of its pictures, of
// equals the smaller cluster.
type score struct {
	object    string
	pictures  int
	cluster   uint32
	precision float64
	recall    float64
}

func (s *score) f() float64 { return 2 * s.precision * s.recall / (s.precision + s.recall) }

// judge scores every object, best first.
func judge(labels []string, cluster []uint32) (scores []score) {
	size := map[uint32]int{}
	within := map[string]map[uint32]int{}
	pictures := map[string]int{}
	for i, object := range labels {
		size[cluster[i]]++
		if object == "" {
			continue
		}
		pictures[object]++
		if within[object] == nil {
			within[object] = map[uint32]int{}
		}
		within[object][cluster[i]]++
	}
	for object, counts := range within {
		best, most := uint32(0), 0
		for c, n := range counts {
			if n > most || n == most && (size[c] < size[best] || size[c] == size[best] && c < best) {
				best, most = c, n
			}
		}
		scores = append(scores, score{object, pictures[object], best, float64(most) / float64(size[best]), float64(most) / float64(pictures[object])})
	}
	slices.SortFunc(scores, func(a, b score) int {
		return cmp.Or(cmp.Compare(b.f(), a.f()), cmp.Compare(a.object, b.object))
	})
	return scores
}

// average is the mean over objects.
func average(scores []score) (precision, recall, f float64) {
	n := float64(max(len(scores), 1))
	for _, s := range scores {
		precision += s.precision / n
		recall += s.recall / n
		f += s.f() / n
	}
	return precision, recall, f
}

// nearness is the share of the first entries of lists, as many as the object has
// other pictures, that show the object, over all pictures of objects.
func nearness(labels []string, lists [][]uint32) (mean float64) {
	pictures := map[string]int{}
	for _, object := range labels {
		pictures[object]++
	}
	n := 0
	for i, object := range labels {
		if object == "" || pictures[object] == 1 {
			continue
		}
		list := lists[i][:min(len(lists[i]), pictures[object]-1)]
		same := 0
		for _, x := range list {
			if labels[x] == object {
				same++
			}
		}
		mean += float64(same) / float64(pictures[object]-1)
		n++
	}
	return mean / float64(max(n, 1))
}
