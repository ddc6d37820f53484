package pages

import "testing"

func TestMake(t *testing.T) {
	for _, n := range []int{0, 1, 1000, 5 << 20} {
		s := Make[uint64](n)
		if len(s) != n {
			t.Fatalf("%d elements, want %d", len(s), n)
		}
		for i, x := range s {
			if x != 0 {
				t.Fatalf("element %d is %d", i, x)
			}
			s[i] = uint64(i)
		}
	}
}
