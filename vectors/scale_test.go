package vectors_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/knng/knng/vectors"
)

// TestScaleOf: ordinary rows stay as they are; others come to a size of about one, in the
// middle of them, and never beyond what squares hold.
func TestScaleOf(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for power := -148; power <= 120; power++ {
		data := make([]float32, 600)
		for i := range data {
			data[i] = vectors.Scale(float32(1+rng.Float64()), power)
		}
		rows, err := vectors.FromFloat32(data, 3)
		if err != nil {
			t.Fatal(err)
		}
		exponent, tiny, err := vectors.ScaleOf(rows)
		if err != nil {
			t.Fatal(err)
		}
		if ordinary := power >= -31 && power < 55; ordinary != (exponent == 0) {
			t.Errorf("values of 2^%d are scaled by 2^%d", power, exponent)
		}
		if exponent != 0 && (power+exponent < -2 || power+exponent > 0) {
			t.Errorf("values of 2^%d come to 2^%d", power, power+exponent)
		}
		if tiny != (power < -126) {
			t.Errorf("values of 2^%d: tiny is %v", power, tiny)
		}
	}
}

// TestScaleOutlier: one large row among tiny ones limits the scale.
func TestScaleOutlier(t *testing.T) {
	data := make([]float32, 600)
	for i := range data {
		data[i] = 1e-23
	}
	data[1], data[5], data[7] = 1000, float32(math.NaN()), float32(math.Inf(1))
	rows, err := vectors.FromFloat32(data, 3)
	if err != nil {
		t.Fatal(err)
	}
	if exponent, _, err := vectors.ScaleOf(rows); err != nil || exponent != 45 {
		t.Errorf("%d, %v, want 45: 1000 comes to 2^55", exponent, err)
	}
}
