package balls

import (
	"cmp"

	"github.com/knng/knng/builder/internal/fixed"
	"github.com/knng/knng/builder/internal/job"
)

// Options are the options that only the balls method reads. Zero fields of the schedule mean the fitted
// values.
type Options struct {
	K     int     // neighbors per row
	Aim   float64 // recall to choose parameters for, even if the build does not stop by it
	Slack int     // candidates kept beyond k
	Most  int     // a join takes at most so many rows that list a row
	Under float64 // how far below the target joins replace divisions

	// Known appends rows that are likely near row, and their keys; nil: none are known. It is called by
	// several goroutines.
	Known  func(row uint32, near []uint32, keys []float32) ([]uint32, []float32, error)
	Before uint64 // identifies the known lists: new divisions differ from those that made them
	Ends   []int  // known lists are of parts: part i ends before row Ends[i]; nil: of all rows
}

// Schedule returns the parameters of a build. Measured on faces in 500 dimensions, GIST in 384 and MNIST in
// 784, with targets of 0.90, 0.95, 0.99:
//
//   - Slack 8: with 4, joins saturate lower (GIST at 0.99 needs 9 % more pairs), and if codes are not keys,
//     more neighbors are not among the candidates; see also keySlack.
//   - Most 30: with 20, GIST at 0.99 needs 10 % more pairs. Few rows are in more lists, so a larger value
//     costs little and gains less.
//   - Switch below the target by 1.5 of 1 - target, within 0.05 to 0.09: a pair of a leaf costs 3 ns, one
//     of a join 15, and the first joins find most per pair. With 0.05, 0.07 and 0.09 below it, SIFT 1M
//     takes 7.5, 7.2 and 7.2 s for 0.95, with 0.002 more recall from 0.065 on; 9.7, 9.6 and 10.4 s for
//     0.97; 14.3, 15.9 and 16.4 s for 0.99. 300,000 rows of it and GIST take the same with each for 0.95
//     and 0.97; for 0.99 they take 2.9, 3.1 and 3.0 s, and 1.4, 1.6 and 1.5 s. For 0.90, with 0.05, 0.09
//     and 0.14 below it, GIST took 0.44, 0.42 and 0.40 s in divisions and joins, SIFT 1M 6.6, 6.0 and 6.5 s.
//
// On five data sets, each tested with the choice from the other four (bench/cmd/fit, AVX-512 with VNNI), no
// other value of the first two takes over 5 % less at equal recall anywhere.
func (o *Options) Schedule() job.Schedule {
	return job.Schedule{Balls: 12, Slack: cmp.Or(o.Slack, max(usualSlack, o.K/4)), Most: cmp.Or(o.Most, max(fixed.ListingRows, o.K)),
		Switch: o.Aim - cmp.Or(o.Under, min(max(0.05, 1.5*(1-o.Aim)), 0.09))}
}

// usualSlack is the least slack. If the codes are the keys, it is keySlack, since no candidates are needed
// for their errors. With 8 and with 4, SIFT takes 8.44 and 8.20 s for 0.90, 11.1 and 11.3 s for 0.95, 20.3
// and 18.2 s for 0.99, and 577 and 532 MiB.
const usualSlack, keySlack = 8, 4

// slack returns the number of candidates kept beyond k, given the number of rows.
func (m *Method) slack(rows int64) int {
	if m.Inner() || !m.Space.Metric().Coded() {
		return 0 // lists hold keys
	}
	slack := m.opts.Schedule().Slack
	if keys := m.BytesAreKeys() && !reducible(m.Build, rows); !keys || m.opts.Slack != 0 {
		return slack
	}
	if m.keysKnown() {
		return 0 // known lists of k or more are then full, so they have bounds
	}
	return slack * keySlack / usualSlack
}
