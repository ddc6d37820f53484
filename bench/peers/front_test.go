package peers

import (
	"math"
	"testing"

	"github.com/knng/knng/builder"
)

func point(peer string, setting int, recall, seconds float64) Point {
	return Point{Task: Task{Setting: Setting{peer, map[string]any{"x": setting}}}, Recall: builder.RecallEstimate{Recall: recall},
		MemorySeconds: seconds, FileSeconds: seconds}
}

func TestCompare(t *testing.T) {
	points := []Point{
		point(Ours, 1, 0.9, 1), point(Ours, 1, 0.9, 3), point(Ours, 1, 0.9, 2), // median 2
		point(Ours, 2, 0.99, 8),
		point(Ours, 3, 0.95, 9), // beaten by the one before
		point("a", 1, 0.95, 20),
		point("b", 1, 0.5, 1),
		{Task: Task{Setting: Setting{"c", nil}}, Error: "failed"},
		{Task: Task{Setting: Setting{Ours, map[string]any{"kernel": "avx2"}}}, Recall: builder.RecallEstimate{Recall: 0.9}, MemorySeconds: 1},
	}
	memory := Clocks[MemoryClock]
	ours, others := Compare(points, 0.9, memory)
	if ours != 2 || len(others) != 1 || others[0] != (At{"a", 20}) {
		t.Errorf("at 0.9: %v %v", ours, others)
	}
	// Halfway between 0.1 and 0.01 missed, on a logarithmic scale.
	ours, others = Compare(points, 1-math.Sqrt(0.1*0.01), memory)
	if math.Abs(ours-4) > 1e-9 || len(others) != 0 {
		t.Errorf("in between: %v %v", ours, others)
	}
	if ours, _ := Compare(points, 0.999, memory); ours != 0 {
		t.Errorf("beyond the front: %v", ours)
	}
}
