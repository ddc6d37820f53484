package balls

import (
	"cmp"

	"github.com/knng/knng/builder/internal/fixed"
	"github.com/knng/knng/builder/internal/job"
)

// Options are the options that only the balls method reads. Zero fields of the schedule mean the
// fitted values.
type Options struct {
	K     int     // neighbors that are asked for
	Aim   float64 // recall that choices are made for, also where a build does not stop by it
	Slack int     // candidates kept beyond k
	Most  int     // rows listing a row that a join takes
	Under float64 // how far under the target joins take over from divisions

	// Known appends rows that are likely near one, and their keys; nil: none are known. Goroutines
	// call it.
	Known  func(row uint32, near []uint32, keys []float32) ([]uint32, []float32, error)
	Before uint64 // names the known lists: divisions are others than those that made these
	Ends   []int  // known lists are of parts: part i ends before row Ends[i]; nil: of all rows
}

// Schedule settles how the method goes about a build. Measured on faces in
// 500 dimensions, GIST in 384 and MNIST in 784, at targets of 0.90, 0.95, 0.99:
//
//   - Slack 8: with 4, joins saturate lower (GIST at 0.99 needs 9 % more pairs), and where
//     codes are not keys more of the nearest are no candidates; see also keySlack.
//   - Most 30: with 20, GIST at 0.99 needs 10 % more pairs; lists that many rows
//     name are rare, so more costs little and gains less.
//   - Switch under the target by 1.5 of one less the target, 0.05 to 0.09: a
//     pair of a leaf costs 3 ns, one of a join 15, and the first joins find most for each. At
//     0.05, 0.07 and 0.09 under it SIFT 1M takes for 0.95 7.5, 7.2 and 7.2 s, with 0.002 more
//     recall from 0.065 on, for 0.97 9.7, 9.6 and 10.4, for 0.99 14.3, 15.9 and 16.4; 300,000 of
//     it and GIST for 0.95 and 0.97 as much with each, for 0.99 2.9, 3.1 and 3.0, and 1.4, 1.6 and
//     1.5; for 0.90 GIST took at 0.05, 0.09 and 0.14 under it 0.44, 0.42 and 0.40 s in divisions
//     and joins, SIFT 1M 6.6, 6.0 and 6.5.
//
// On five sets, each left out of the choice that is tested on it (bench/cmd/fit, AVX-512
// with VNNI), no other value of the first two takes more than 5 % less at equal recall anywhere.
func (o *Options) Schedule() job.Schedule {
	return job.Schedule{Balls: 12, Slack: cmp.Or(o.Slack, max(usualSlack, o.K/4)), Most: cmp.Or(o.Most, max(fixed.ListingRows, o.K)),
		Switch: o.Aim - cmp.Or(o.Under, min(max(0.05, 1.5*(1-o.Aim)), 0.09))}
}

// usualSlack is the least slack; keySlack takes its place where the codes compared are keys, so
// that no candidate is there for their errors. SIFT takes 8.44 and 8.20 s for 0.90, 11.1 and 11.3 for 0.95, 20.3 and
// 18.2 for 0.99 with 8 and with 4, and 577 and 532 MiB.
const usualSlack, keySlack = 8, 4

// slack is how many candidates are kept beyond k where there are so many rows.
func (m *Method) slack(rows int64) int {
	if m.Inner() || !m.Space.Metric().Coded() {
		return 0 // lists hold keys
	}
	slack := m.opts.Schedule().Slack
	if keys := m.BytesAreKeys() && !reducible(m.Build, rows); !keys || m.opts.Slack != 0 {
		return slack
	}
	if m.keysKnown() {
		return 0 // known lists are full where k is no more than theirs, so that they have bounds
	}
	return slack * keySlack / usualSlack
}
