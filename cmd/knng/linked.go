package main

import (
	"sync"
	"time"

	"github.com/knng/knng/builder"
	"github.com/knng/knng/builder/plan"
	"github.com/knng/knng/store"
)

// linked goes on with the share and the time left of a build when the links of search are made,
// which the build counts in (builder.Options.Then).
type linked struct {
	show  func(builder.Event) // nil where nobody looks
	share float64             // the largest that the build told
	then  float64             // what they will take, as a share of the build's time, by its latest plan
	links time.Duration       // that they will take, as the build told

	mu   sync.Mutex
	last builder.Event // of the links
}

// seconds is what the links will take, by a plan of the build.
func (l *linked) seconds(p *plan.Plan) float64 {
	l.then = p.LinksSeconds / p.Seconds
	return p.LinksSeconds
}

// built shows an event of the build.
func (l *linked) built(e builder.Event) {
	if e.Share > 0 && e.Share < 1 {
		l.links = time.Duration(float64(e.Left) / (1 - e.Share) * l.then / (1 + l.then))
	}
	l.share = max(l.share, e.Share)
	if l.show != nil {
		l.show(e)
	}
}

// linking shows an event of the links.
func (l *linked) linking(e builder.Event) {
	e = l.whole(e)
	l.mu.Lock()
	l.last = e
	l.mu.Unlock()
	if l.show != nil {
		l.show(e)
	}
}

// whole adds the share and the time left to an event of the links: their own rate tells it,
// once there is one.
func (l *linked) whole(e builder.Event) builder.Event {
	if l.share == 0 || e.Total <= 0 || e.Phase == "" {
		return e
	}
	done := min(1, float64(e.Done)/float64(e.Total))
	e.Left = time.Duration(float64(l.links) * (1 - done))
	if done > 0 {
		e.Left = time.Duration(float64(e.Elapsed) * (1 - done) / done)
	}
	e.Share = l.share + (1-l.share)*done
	return e
}

// tellEvery is how often knng info of the store is told how far the links are.
const tellEvery = time.Second

// publish tells knng info of the store how far the links are, until stop is called. Where the
// store cannot be written, the links cannot either, and that is told.
func (l *linked) publish(s *store.Store) (stop func()) {
	done, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		tick := time.NewTicker(tellEvery)
		defer tick.Stop()
		for {
			select {
			case <-done:
				return
			case now := <-tick.C:
				_ = s.Tell(l.told(now))
			}
		}
	}()
	return func() {
		close(done)
		<-ended
		s.Untell()
	}
}

// told is how far the links are.
func (l *linked) told(now time.Time) builder.Told {
	l.mu.Lock()
	defer l.mu.Unlock()
	e := l.last
	return builder.Told{Time: now, Phase: e.Phase, Done: e.Done, Total: e.Total, Unit: e.Unit,
		Share: e.Share, Left: e.Left.Seconds(), Seconds: e.Elapsed.Seconds()}
}
