package builder

import "github.com/knng/knng/builder/progress"

// Event is a typed progress report: its phase, how much of it is done, and lines
// worth keeping.
type Event = progress.Event

// PhaseSeconds is the time of one phase over all runs of a build.
type PhaseSeconds = progress.PhaseSeconds

// phase is one phase under way.
type phase = progress.Phase

// reporter reports to whom the options name and keeps times in the state.
func (r *run) reporter() progress.Reporter {
	return progress.Reporter{Tell: r.opts.Progress, Spent: &r.state.Phases}
}

func (r *run) begin(name, unit string, total int64) *phase {
	return r.reporter().Begin(name, unit, total)
}

// say reports a line that belongs to no phase.
func (r *run) say(format string, args ...any) { r.reporter().Say(format, args...) }
