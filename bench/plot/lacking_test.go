package plot

import "testing"

func TestLacking(t *testing.T) {
	at := func(share float64) float64 { return lacking{}.Normalize(0.5, 1, share) }
	if at(0.5) != 0 || at(1) != 1 || at(0.9999) != 1 {
		t.Errorf("the ends are at %v, %v and %v", at(0.5), at(1), at(0.9999))
	}
	nine, nineNine := at(0.99)-at(0.9), at(0.999)-at(0.99)
	if d := nine - nineNine; d > 1e-9 || d < -1e-9 {
		t.Errorf("from 0.9 to 0.99 is %v, from 0.99 to 0.999 %v", nine, nineNine)
	}
	if ticks := (lacking{}).Ticks(0.93, 1); len(ticks) != 6 || ticks[0].Label != "0.95" || ticks[5].Label != "1" {
		t.Errorf("%v", ticks)
	}
}
