package refine

import (
	"fmt"
	"sync"
	"time"

	"github.com/knng/knng/builder"
)

// phase reports one phase's progress and adds its time to the state.
type phase struct {
	r     *run
	name  string
	unit  string
	total int64
	began time.Time

	mu   sync.Mutex
	done int64
	told time.Time
}

// eventEvery is the least time between progress events of one phase.
const eventEvery = 50 * time.Millisecond

func (r *run) begin(name, unit string, total int64) *phase {
	p := &phase{r: r, name: name, unit: unit, total: total, began: time.Now()}
	p.tell(builder.Event{})
	return p
}

// add counts n more units done.
func (p *phase) add(n int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.done += int64(n)
	if now := time.Now(); now.Sub(p.told) >= eventEvery {
		p.told = now
		p.tell(builder.Event{})
	}
}

// end closes the phase with a line worth keeping ("" for none).
func (p *phase) end(format string, args ...any) {
	p.r.state.addPhase(p.name, time.Since(p.began))
	p.mu.Lock()
	defer p.mu.Unlock()
	message := ""
	if format != "" {
		message = fmt.Sprintf(format, args...)
	}
	p.tell(builder.Event{Message: message, End: true})
}

func (p *phase) tell(e builder.Event) {
	if p.r.opts.Progress == nil {
		return
	}
	e.Phase, e.Unit, e.Done, e.Total, e.Elapsed = p.name, p.unit, p.done, p.total, time.Since(p.began)
	p.r.opts.Progress(e)
}
