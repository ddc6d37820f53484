package main

import (
	"time"

	"github.com/knng/knng/builder"
)

// linksShare is the time that the links of search take after a build, as a share of the build's
// own. Processor time on SIFT, 150,000 rows, recall 0.95: 0.10 by parts, 0.16 by balls.
const linksShare = 0.14

// linked counts the links of search, which are made once the graph is finished, into the share
// and the time left of the whole.
type linked struct {
	show  func(builder.Event)
	share float64       // the largest shown
	build time.Duration // that the build took, as far as it told
}

// built shows an event of the build.
func (l *linked) built(e builder.Event) {
	if e.Share > 0 && e.Share < 1 {
		l.build = time.Duration(float64(e.Left) / (1 - e.Share))
	}
	if e.Share > 0 {
		e.Left += time.Duration(linksShare * float64(l.build))
		e.Share = e.Share / (1 + linksShare)
		l.share = max(l.share, e.Share)
	}
	l.show(e)
}

// linking shows an event of the links: their own rate tells the time left, once there is one.
func (l *linked) linking(e builder.Event) {
	if l.share > 0 && e.Total > 0 && e.Phase != "" {
		done := min(1, float64(e.Done)/float64(e.Total))
		e.Left = time.Duration(linksShare * float64(l.build) * (1 - done))
		if done > 0 {
			e.Left = time.Duration(float64(e.Elapsed) * (1 - done) / done)
		}
		e.Share = l.share + (1-l.share)*done
	}
	l.show(e)
}
