package job

import "testing"

// TestLeavesOfDivisions: the divisions of so many leaves a row come to these, also where their overlap does not
// divide these, and stages note as many as were done.
func TestLeavesOfDivisions(t *testing.T) {
	for _, c := range []struct {
		goal    Goal
		rows    int
		overlap int
	}{
		{Goal{Recall: 0.95}, WideRows - 1, Overlap},
		{Goal{Recall: 0.95}, WideRows, 2 * Overlap},
		{Goal{Recall: 0.9}, WideRows, 2 * Overlap},
		{Goal{Recall: 0.89}, WideRows, Overlap}, // one division of four may do
		{Goal{}, WideRows, 2 * Overlap},
		{Goal{Divisions: 16}, WideRows, 2 * Overlap},
		{Goal{Divisions: 13}, WideRows, 2 * Overlap},
		{Goal{Divisions: 13}, WideRows - 1, Overlap},
		{Goal{Divisions: 3}, WideRows, 2 * Overlap},
	} {
		if got := c.goal.PartsOverlap(c.rows); got != c.overlap {
			t.Fatalf("%+v of %d rows: %d leaves in a division, want %d", c.goal, c.rows, got, c.overlap)
		}
		var s State
		for done := 0; c.goal.Divisions > 0 && done < c.goal.Divisions; {
			st := Stage{Kind: DivisionStage, Number: len(s.Stages) + 1}
			c.goal.NoteLeaves(&st, c.rows)
			s.Stages = append(s.Stages, st)
			leaves := c.goal.PartsLeaves(c.rows, st.Number)
			if want := min(c.overlap, c.goal.Divisions-done); leaves != want {
				t.Fatalf("%+v of %d rows: %d leaves in division %d, want %d", c.goal, c.rows, leaves, st.Number, want)
			}
			if done += leaves; c.goal.BallsDone(&s) != done {
				t.Fatalf("%+v of %d rows: %d leaves noted after division %d, want %d", c.goal, c.rows, c.goal.BallsDone(&s), st.Number, done)
			}
			if kind, _ := c.goal.moreParts(&s); (kind == "") != (done == c.goal.Divisions) {
				t.Fatalf("%+v of %d rows: %q after %d leaves", c.goal, c.rows, kind, done)
			}
		}
	}
}
