package recall

import "testing"

func TestOfList(t *testing.T) {
	truth := []float32{1, 2, 2, 5}
	for _, c := range []struct {
		name string
		k    int
		rows []uint32
		keys []float32
		want float64
	}{
		{"all", 4, []uint32{1, 2, 3, 4}, []float32{1, 2, 2, 5}, 1},
		{"half", 4, []uint32{1, 2, 7, 8}, []float32{1, 2, 6, 7}, 0.5},
		{"another row at the boundary", 3, []uint32{1, 2, 9}, []float32{1, 2, 2}, 1},
		{"more ties than places", 2, []uint32{2, 3, 9}, []float32{2, 2, 2}, 1},
		{"the row itself", 4, []uint32{0, 1, 2, 3}, []float32{0, 1, 2, 2}, 0.75},
		{"one row repeated", 4, []uint32{1, 1, 1, 1}, []float32{1, 1, 1, 1}, 0.25},
		{"empty list", 4, nil, nil, 0},
		{"fewer rows than k", 9, []uint32{1, 2, 3, 4}, []float32{1, 2, 2, 5}, 1},
	} {
		if got := OfList(truth, c.rows, c.keys, 0, c.k); got != c.want {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
	if got := OfList(nil, nil, nil, 0, 5); got != 1 {
		t.Errorf("no other rows: %v, want 1", got)
	}
}

// TestAlike: a row whose key is above the k-th of the truth counts where both are alike to the row.
func TestAlike(t *testing.T) {
	l := ListsOf([]uint32{7}, 2, func(int) ([]uint32, []float32) { return []uint32{1, 2}, []float32{1e-16, 2e-16} })
	found := func() float64 { return l.Recall(0, []uint32{3, 4}, []float32{3e-16, 1e-9}) }
	if got := found(); got != 0 {
		t.Errorf("recall %v, want 0", got)
	}
	if l.Alike = 1e-15; found() != 0.5 {
		t.Errorf("recall %v of one row that is alike and one that is not, want 0.5", found())
	}
}
