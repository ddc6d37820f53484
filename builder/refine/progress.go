package refine

import "github.com/knng/knng/builder/progress"

// reporter reports to whom the options name and keeps times in the state.
func (r *run) reporter() progress.Reporter {
	return progress.Reporter{Tell: r.opts.Progress, Spent: &r.state.Phases}
}

func (r *run) begin(name, unit string, total int64) *progress.Phase {
	return r.reporter().Begin(name, unit, total)
}

// say reports a line that belongs to no phase.
func (r *run) say(format string, args ...any) { r.reporter().Say(format, args...) }
