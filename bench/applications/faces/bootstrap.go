package main

import (
	"math/rand/v2"
	"slices"
)

// resamples is how many times the labels are drawn anew.
const resamples = 2000

// interval is the paired bootstrap's 95 % interval of the mean of a - b over the
// same rows. Labels are drawn, each with all its rows, because the rows of one
// person are no independent witnesses; drawing rows would make it too narrow.
func interval(a, b []float64, groups map[int][]int, seed uint64) (low, high float64) {
	type total struct{ sum, rows float64 }
	var totals []total
	for _, label := range sortedKeys(groups) {
		var t total
		for _, i := range groups[label] {
			t.sum += a[i] - b[i]
			t.rows++
		}
		totals = append(totals, t)
	}
	rng := rand.New(rand.NewPCG(seed, 0xb007))
	means := make([]float64, resamples)
	for i := range means {
		var all total
		for range totals {
			t := totals[rng.IntN(len(totals))]
			all.sum += t.sum
			all.rows += t.rows
		}
		means[i] = all.sum / all.rows
	}
	slices.Sort(means)
	return means[resamples*25/1000], means[resamples*975/1000-1]
}

func sortedKeys(groups map[int][]int) (keys []int) {
	for label := range groups {
		keys = append(keys, label)
	}
	slices.Sort(keys)
	return keys
}
