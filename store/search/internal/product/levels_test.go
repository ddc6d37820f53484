package product

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// TestLevels: a byte behind the parts names the nearest level, which an estimate has besides the shares of centers; both
// are read back as they were written; levels that do not ascend, or are no numbers, are refused.
func TestLevels(t *testing.T) {
	const n, dim, parts = 600, 8, 3
	all := rows(n, dim)
	q, err := Train(t.Context(), all, dim, parts, 1, 2)
	if err != nil {
		t.Fatal(err)
	}
	rng := rand.New(rand.NewPCG(5, 5))
	values := make([]float32, n)
	for i := range values {
		values[i] = float32(rng.NormFloat64() * 100)
	}
	q.TrainLevels(values, 1)
	if q.Bytes() != parts+1 || q.TableSize() != Centers*(parts+1) || !slices.IsSorted(q.levels) {
		t.Fatal(q.Bytes(), q.levels)
	}
	for _, x := range append(values, -1e9, 1e9) {
		got := q.levels[q.Level(x)]
		for _, l := range q.levels {
			if math.Abs(float64(l-x)) < math.Abs(float64(got-x)) {
				t.Fatalf("%v has level %v, and %v is nearer", x, got, l)
			}
		}
	}
	code, row, table, key := make([]byte, parts+1), make([]float32, dim), make([]float32, q.TableSize()), []float32{0}
	q.Encode(all[:dim], code)
	code[parts] = q.Level(42)
	q.Decode(code, row)
	q.Table(Twice, all[dim:2*dim], table)
	q.All(table, code, key)
	want := float64(q.levels[code[parts]])
	for i, x := range row {
		want -= 2 * float64(x) * float64(all[dim+i])
	}
	if math.Abs(float64(key[0])-want) > 1e-4*(1+math.Abs(want)) {
		t.Errorf("%v, want %v", key[0], want)
	}
	data := q.Append(nil)
	back, err := Parse(data, dim, parts+1, true)
	if err != nil || len(data) != Size(dim, true) || !slices.Equal(back.Append(nil), data) || back.Bytes() != q.Bytes() {
		t.Error(err)
	}
	for _, bits := range []uint32{math.Float32bits(float32(math.NaN())), math.Float32bits(1e30)} {
		bad := slices.Clone(data)
		for i := range 4 {
			bad[len(bad)-8+i] = byte(bits >> (8 * i))
		}
		if _, err := Parse(bad, dim, parts+1, true); err == nil {
			t.Errorf("level %x is read", bits)
		}
	}
	if _, err := Parse(data, dim, parts+1, false); err == nil {
		t.Error("levels are read as centers")
	}
}
