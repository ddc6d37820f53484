package pages

import "testing"

func TestMake(t *testing.T) {
	for _, n := range []int{0, 1, 1000, 5 << 20} {
		b := Make[uint64](n)
		if len(b.Slice) != n {
			t.Fatalf("%d elements, want %d", len(b.Slice), n)
		}
		for i, x := range b.Slice {
			if x != 0 {
				t.Fatalf("element %d is %d", i, x)
			}
			b.Slice[i] = uint64(i)
		}
		b.Free()
		if b.Slice != nil {
			t.Error("freed, and still there")
		}
		b.Free()
	}
}
