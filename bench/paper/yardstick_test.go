package paper

import "testing"

func TestSteady(t *testing.T) {
	runs := []Run{{}, {Yardstick: 0.02}, {Yardstick: 0.0279}, {Yardstick: 0.0281}, {Yardstick: 0.1}}
	least := leastYardstick(runs)
	if least != 0.02 {
		t.Errorf("the least is %v", least)
	}
	for i, want := range []bool{false, true, true, false, false} {
		if runs[i].steady(least) != want {
			t.Errorf("a yardstick of %v is steady: %v", runs[i].Yardstick, !want)
		}
	}
	if seconds := yardstick(); !(seconds > 0) {
		t.Errorf("the work took %v s", seconds)
	}
	for _, again := range []bool{false, true} {
		r := runner{Config: &Config{Again: again}, least: least}
		if got := r.counts(&runs[4]); got == again {
			t.Errorf("again %v: a run of a slow hour counts: %v", again, got)
		}
	}
}
