package paper

import "testing"

func TestSteady(t *testing.T) {
	runs := []Run{{}, {Yardstick: 0.019}, {Yardstick: 0.0299}, {Yardstick: 0.0301}, {Yardstick: 0.1}, {Yardstick: 0.02}}
	good := goodYardstick(runs)
	if good != 0.02 {
		t.Errorf("in good hours it takes %v", good)
	}
	for i, want := range []bool{false, true, true, false, false, true} {
		if runs[i].steady(good) != want {
			t.Errorf("a yardstick of %v is steady: %v", runs[i].Yardstick, !want)
		}
	}
	if seconds := yardstick(); !(seconds > 0) {
		t.Errorf("the work took %v s", seconds)
	}
	for _, again := range []bool{false, true} {
		r := runner{Config: &Config{Again: again}, good: good}
		if got := r.counts(&runs[4]); got == again {
			t.Errorf("again %v: a run of a slow hour counts: %v", again, got)
		}
	}
}
