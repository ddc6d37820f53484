package builder

import (
	"encoding/json"

	"github.com/knng/knng/builder/internal/job"
	"github.com/knng/knng/builder/progress"
)

// Event is a typed progress report: its phase, how much of it is done, and lines
// worth keeping.
type Event = progress.Event

// PhaseSeconds is the time of one phase over all runs of a build.
type PhaseSeconds = progress.PhaseSeconds

// Told is the progress that a running build publishes for readers without its lock.
type Told = progress.Told

// StagesIn lists the finished stages of an unfinished build, given the record
// that store.ProgressOf returns: lines for people.
func StagesIn(record []byte) []string {
	var s job.State
	if json.Unmarshal(record, &s) != nil {
		return nil // nothing recorded yet
	}
	return s.Lines(methods[Method(s.Method)].Overlaps)
}
