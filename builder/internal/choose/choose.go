// Package choose chooses the method for auto: by counts, and for data of few dimensions by the number of rows
// that a search in a tree visits.
package choose

import (
	"math"

	"github.com/knng/knng/builder/internal/candidates"
	"github.com/knng/knng/builder/internal/job"
	"github.com/knng/knng/vectors/distance"
)

// Options are the options that decide, with their defaults.
type Options struct {
	Method            string // as asked for
	K, LeafSize       int
	Recall            float64 // target, or the recall that is meant without one
	Divisions, Rounds int     // 0: not asked for
	Slack             int     // candidates of balls beyond k
	Metric            distance.Metric
	Own               bool // the user's own distance replaces the metric
	PaperOnly         bool // an option is set that only the paper's method knows
	Collapse          bool // equal rows collapse
	Threads           int  // for testing searches in a tree; they decide nothing
}

// exactWork is the work of all pairs, in elements, up to which exact lists are worth it: about 15,900 rows of
// 128 dimensions, 25,000 of 32, 7,000 of 784.
//
//   - Wrong if larger: with 200e9, 60,000 rows of SIFT took 4.2 s of a core, and balls 0.9 s for a target
//     of 0.95.
//   - Wrong if smaller: balls save 0.1 to 0.3 s of a core below it, with AVX2, and exact lists in 0.3 s
//     are better than lists of 0.96 in 0.15 s.
//
// go run ./bench/cmd/targets -threads 1 -seeds 1 -limit-rows N -method exact (then balls);
// seconds of a core of an AVX2 machine, for a recall of 0.90, 0.95 and 0.99:
//
//	SIFT  8,000 of 128: all pairs 0.19, balls 0.09 0.11 0.14
//	SIFT 16,000 of 128: all pairs 0.45, balls 0.18 0.22 0.31
//	SIFT 32,000 of 128: all pairs 1.39, balls 0.38 0.47 0.78
//	SIFT 60,000 of 128: all pairs 4.15, balls 0.77 0.90 1.49
//	GIST  6,000 of 384: all pairs 0.34, balls 0.22 0.24 0.30
//	GIST 12,000 of 384: all pairs 0.83, balls 0.41 0.51 0.70
//	GIST 24,000 of 384: all pairs 2.47, balls 0.89 1.03 1.41
const exactWork = 20e9

// exactPairs is the number of pairs per row up to which all pairs are no more than balls take for a recall:
// on the sets of exactWork 1,550 to 3,230 for 0.90, 1,630 to 3,480 for 0.95 and 3,130 to 5,400 for 0.99. It
// is somewhat more, since hard data take more: 6,000 rows of 4,096 normal numbers took 1.6 times all pairs
// for 0.90, 13,233 faces of 500 dimensions 1.25 times for 0.99.
func exactPairs(recall float64) float64 { return -3500 * math.Log10(1-min(recall, 0.9999)) }

// exactIsCheaper reports whether comparing n rows of dim elements with all others is cheaper, judged by
// counts.
func (o *Options) exactIsCheaper(n, dim int) bool {
	pairs := float64(n-1) / 2       // of a row
	work := pairs * float64(dim+30) // selecting the near ones costs as much as 30 elements
	switch {
	case n < o.LeafSize || pairs <= exactPairs(o.Recall):
		return true
	case o.Own:
		return false
	}
	return float64(n)*work <= exactWork
}

// ByCounts chooses for auto by counts alone.
func (o *Options) ByCounts(n, dim int) string {
	switch {
	case o.Method != job.AutoMethod:
		return o.Method
	case o.exactIsCheaper(n, dim):
		return job.ExactMethod
	case o.PaperOnly:
		return job.PaperMethod
	case o.Divisible() && o.ballsBytes(int64(n), dim) > wholeBytes && (o.Metric.Gathers() || int64(n) <= candidates.MaxPlaces):
		return job.PartsMethod
	case int64(n) > candidates.MaxPlaces:
		return job.PaperMethod
	}
	return job.BallsMethod
}

// Divisible reports whether the parts method can build with these options.
func (o *Options) Divisible() bool {
	return !o.PaperOnly && !o.Collapse && o.Rounds == 0 && o.K <= MaxPartsK
}

// wholeBytes is the memory beyond which auto builds in parts. Below it the balls method is faster, because
// joins find more per pair; above it any machine should still be able to build the graph. It is a constant,
// not the available memory, because the graph depends on the method.
const wholeBytes = 4 << 30

// MaxPartsK limits the lists of the parts method: a leaf has 4 k rows, and a group of 64 MiB must hold some
// leaves with their lists.
const MaxPartsK = 512

// ballsBytes returns the memory of the balls method as it was when wholeBytes was chosen; now it is less.
// Changing it changes graphs, and 10 million rows of 50 floats would again take more than 3 GB.
func (o *Options) ballsBytes(n int64, dim int) int64 {
	return n * int64(16*(o.K+o.Slack)+32+dim)
}
