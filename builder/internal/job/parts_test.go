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
		{Goal{Recall: 0.95}, VastRows - 1, 2 * Overlap},
		{Goal{Recall: 0.95}, VastRows, vastOverlap},
		{Goal{Recall: 0.89}, VastRows, Overlap},
		{Goal{Divisions: 24}, VastRows, vastOverlap},
	} {
		if got := c.goal.PartsOverlap(c.rows); got != c.overlap {
			t.Fatalf("%+v of %d rows: %d leaves in a division, want %d", c.goal, c.rows, got, c.overlap)
		}
		s := State{Rows: c.rows, Fits: true}
		for done := 0; c.goal.Divisions > 0 && done < c.goal.Divisions; {
			st := Stage{Kind: DivisionStage, Number: len(s.Stages) + 1}
			leaves := c.goal.PartsLeaves(&s)
			c.goal.NoteLeaves(&s, &st)
			s.Stages = append(s.Stages, st)
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

// TestLeavesForetold: a division has half of its leaves, or three quarters, where these are expected to reach the
// recall asked for, by how fast the divisions before found less.
func TestLeavesForetold(t *testing.T) {
	for _, c := range []struct {
		rows    int
		recalls []float64 // after each whole division
		want    int
	}{
		{10_000_000, nil, 4},
		{10_000_000, []float64{0.744}, 4},
		{10_000_000, []float64{0.744, 0.921}, 3}, // four led to 0.975
		{10_000_000, []float64{0.744, 0.935}, 2},
		{10_000_000, []float64{0.744, 0.89}, 4},
		{10_000_000, []float64{0.93}, 2},
		{10_000_000, []float64{0.999999, 1}, 2},
		{WideRows, []float64{0.80, 0.94}, 4},
		{WideRows, []float64{0.75, 0.915}, 6},
		{WideRows, []float64{0.60, 0.80}, 8},
		{VastRows, []float64{0.80}, 10},
		{VastRows, []float64{0.89}, 7},
		{VastRows, []float64{0.93}, 5},
	} {
		goal, s := Goal{Recall: 0.95}, State{Rows: c.rows, Steer: 256, Fits: true, Foretells: true}
		for i, recall := range c.recalls {
			st := Stage{Kind: DivisionStage, Number: i + 1, Recall: recall, Margin: 0.005}
			if overlap := goal.PartsOverlap(c.rows); overlap != Overlap {
				st.Leaves = overlap
			}
			s.Stages = append(s.Stages, st)
		}
		if got := goal.PartsLeaves(&s); got != c.want {
			t.Errorf("%d rows after %v: %d leaves, want %d", c.rows, c.recalls, got, c.want)
		}
	}
}

// TestLeavesThatSuffice: of a build of an earlier version a division has half of its leaves where these are expected to reach the recall asked for, but
// not the first, nor of a build that an earlier version began.
func TestLeavesThatSuffice(t *testing.T) {
	goal := Goal{Recall: 0.95}
	for _, c := range []struct {
		recalls []float64 // after each division of eight leaves
		earlier bool
		want    int
	}{
		{nil, false, 2 * Overlap},
		{[]float64{0.549}, false, 2 * Overlap},
		{[]float64{0.90}, false, 2 * Overlap},
		{[]float64{0.93}, false, Overlap},
		{[]float64{0.80, 0.945}, false, Overlap},
		{[]float64{0.80, 0.945}, true, 2 * Overlap},
		{[]float64{0.70, 0.90}, false, 2 * Overlap},
	} {
		s := State{Rows: WideRows, Steer: 256, Fits: !c.earlier}
		for i, recall := range c.recalls {
			s.Stages = append(s.Stages, Stage{Kind: DivisionStage, Number: i + 1, Recall: recall, Margin: 0.005, Leaves: 2 * Overlap})
		}
		if got := goal.PartsLeaves(&s); got != c.want {
			t.Errorf("%v, earlier version %v: %d leaves, want %d", c.recalls, c.earlier, got, c.want)
		}
	}
	s := State{Rows: WideRows, Steer: 256, Fits: true}
	for i, leaves := range []int{8, 4} {
		st := Stage{Kind: DivisionStage, Number: i + 1, Recall: 0.93, Margin: 0.005}
		goal.NoteLeaves(&s, &st)
		if s.Stages = append(s.Stages, st); st.Leaves != leaves && (leaves != Overlap || st.Leaves != 0) {
			t.Errorf("division %d notes %d leaves, want %d", i+1, st.Leaves, leaves)
		}
	}
	if done := goal.BallsDone(&s); done != 12 {
		t.Errorf("%d leaves are done, want 12", done)
	}
}
