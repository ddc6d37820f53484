package refine

import "testing"

// TestRankOrderCut: cuts that compare alike have one name, by which builds are told apart.
func TestRankOrderCut(t *testing.T) {
	for _, cut := range []int{-3, 0} {
		if got, want := RankOrder(cut).Name, RankOrder(1).Name; got != want {
			t.Errorf("cut %d is %q, want %q", cut, got, want)
		}
	}
}
