package builder

import (
	"encoding/json"
	"fmt"

	"github.com/knng/knng/builder/internal/job"
)

// StagesIn lists the finished stages of an unfinished build, given the record
// that store.ProgressOf returns: lines for people.
func StagesIn(record []byte) (lines []string) {
	var s job.State
	if json.Unmarshal(record, &s) != nil {
		return nil // nothing recorded yet
	}
	for _, st := range s.Stages {
		line := fmt.Sprintf("%s %d", st.Kind, st.Number)
		if st.Kind == job.DivisionStage && !methods[Method(s.Method)].Overlaps {
			line += fmt.Sprintf(", effective rate %.4f", st.Rate)
		}
		if st.Recall > 0 {
			line += fmt.Sprintf(", recall %.3f on %d steering rows", st.Recall, s.Steer)
		}
		lines = append(lines, line)
	}
	return lines
}
