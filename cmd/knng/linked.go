package main

import (
	"math"
	"runtime/metrics"
	"sync"
	"time"

	"github.com/knng/knng/builder"
	"github.com/knng/knng/builder/plan"
	"github.com/knng/knng/store"
)

// linked goes on with the share and the time left of a build when the links of search are made,
// which the build counts in (builder.Options.Then).
type linked struct {
	show    func(builder.Event) // nil where nobody looks
	threads int                 // that make the links; 0: all cores
	share   float64             // as the build told at its end
	links   time.Duration       // that they will take, as the build told
	disk    int64               // that the build takes

	mu   sync.Mutex
	last builder.Event // of the links
}

// linksSeconds is the time that the links will take, by a plan of the build.
func linksSeconds(p *plan.Plan) float64 { return p.LinksSeconds }

// built shows an event of the build: the time left after the last one is that of the links.
func (l *linked) built(e builder.Event) {
	if e.Share > 0 {
		l.share, l.links, l.disk = e.Share, e.Left, e.Disk
	}
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

// trusted is the weight of the time that the build told for the links beside that of their own rate.
const trusted = 0.05

// whole adds to an event of the links how far build and links are: by the time that the build told
// and, more and more, by their own rate.
func (l *linked) whole(e builder.Event) builder.Event {
	if l.share == 0 || e.Total <= 0 || e.Phase == "" {
		return e
	}
	done := min(1, float64(e.Done)/float64(e.Total))
	all := l.links.Seconds()
	if own := e.Elapsed.Seconds() / max(done, 1e-9); done > 0 && own > 0 && all > 0 {
		all = math.Exp((done*math.Log(own) + trusted*math.Log(all)) / (done + trusted))
	} else if done > 0 {
		all = own
	}
	e.Left = seconds(all * (1 - done))
	e.Share = l.share + (1-l.share)*done
	e.Memory, e.Disk = goBytes(), l.disk
	return e
}

// goBytes is the memory of the Go runtime: files that are mapped are not in it.
func goBytes() int64 {
	s := []metrics.Sample{{Name: "/memory/classes/total:bytes"}, {Name: "/memory/classes/heap/released:bytes"}}
	metrics.Read(s)
	return int64(s[0].Value.Uint64() - s[1].Value.Uint64())
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

// told is how far the links are; before the first event, how far the build left the whole.
func (l *linked) told(now time.Time) builder.Told {
	l.mu.Lock()
	defer l.mu.Unlock()
	e := l.last
	if e.Share == 0 {
		e.Share, e.Left, e.Disk = l.share, l.links, l.disk
	}
	return builder.Told{Time: now, Phase: e.Phase, Done: e.Done, Total: e.Total, Unit: e.Unit,
		Share: e.Share, Left: e.Left.Seconds(), Seconds: e.Elapsed.Seconds(),
		Memory: e.Memory, Disk: e.Disk}
}
