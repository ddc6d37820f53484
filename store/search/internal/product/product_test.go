package product

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

func rows(n, dim int) []float32 {
	rng := rand.New(rand.NewPCG(1, 2))
	all := make([]float32, n*dim)
	for i := range all {
		all[i] = float32(rng.NormFloat64()) + float32(i/dim%7)
	}
	return all
}

// TestKeys: the key of a row is the distance of the query from the centers that its code names,
// for all kinds and for parts of unequal width; other threads train the same centers, and these
// are read back as they were written.
func TestKeys(t *testing.T) {
	const n, dim, parts = 900, 11, 3
	all := rows(n, dim)
	q, err := Train(t.Context(), all, dim, parts, 1, 2)
	if err != nil {
		t.Fatal(err)
	}
	codes := make([]byte, n*parts)
	for i := range n {
		q.Encode(all[i*dim:(i+1)*dim], codes[i*parts:(i+1)*parts])
	}
	query, table, keys := all[5*dim:6*dim], make([]float32, q.TableSize()), make([]float32, n)
	for kind := Squares; kind <= Absolute; kind++ {
		q.Table(kind, query, table)
		q.All(table, codes, keys)
		for i := range n {
			want := 0.0
			for j := range q.parts {
				p := &q.parts[j]
				c := p.centers[int(codes[i*parts+j])*p.width:][:p.width]
				for e, x := range query[p.from : p.from+p.width] {
					d := float64(x) - float64(c[e])
					want += map[Kind]float64{Squares: d * d, Products: -float64(x) * float64(c[e]), Absolute: math.Abs(d)}[kind]
				}
			}
			if math.Abs(float64(keys[i])-want) > 1e-4*(1+math.Abs(want)) {
				t.Fatalf("kind %d, row %d: %v, want %v", kind, i, keys[i], want)
			}
		}
		some := []float32{0, 0}
		if q.Keys(table, codes, []uint32{899, 3}, some); some[0] != keys[899] || some[1] != keys[3] {
			t.Errorf("%v, want %v and %v", some, keys[899], keys[3])
		}
	}
	other, err := Train(t.Context(), all, dim, parts, 1, 1)
	if err != nil || !slices.Equal(other.Append(nil), q.Append(nil)) {
		t.Error("one thread trains other centers", err)
	}
	back, err := Parse(q.Append(nil), dim, parts, false)
	if err != nil || !slices.Equal(back.Append(nil), q.Append(nil)) {
		t.Error(err)
	}
	again := make([]byte, parts)
	if back.Encode(query, again); !slices.Equal(again, codes[5*parts:6*parts]) {
		t.Errorf("code %v, want %v", again, codes[5*parts:6*parts])
	}
	if _, err := Parse(q.Append(nil)[1:], dim, parts, false); err == nil {
		t.Error("centers that are too short are read")
	}
}

// TestEncode: hardly any code names a center that is not the nearest, as not all are compared.
func TestEncode(t *testing.T) {
	const n, dim, parts = 3000, 8, 2
	all := rows(n, dim)
	q, err := Train(t.Context(), all, dim, parts, 1, 1)
	if err != nil {
		t.Fatal(err)
	}
	code, wrong := make([]byte, parts), 0
	for i := range n {
		row := all[i*dim : (i+1)*dim]
		q.Encode(row, code)
		for j, p := range q.parts {
			if x := row[p.from : p.from+p.width]; uint16(code[j]) != nearest(x, p.centers) {
				wrong++
			}
		}
	}
	if wrong > n*parts/20 {
		t.Errorf("%d of %d", wrong, n*parts)
	}
}

// TestFew: fewer rows than centers, and equal ones, are their own centers.
func TestFew(t *testing.T) {
	all := []float32{1, 2, 3, 4, 1, 2, 3, 4, 5, 6, 7, 8}
	q, err := Train(t.Context(), all, 4, 2, 1, 1)
	if err != nil {
		t.Fatal(err)
	}
	code, table, key := make([]byte, 2), make([]float32, q.TableSize()), []float32{0}
	for ; len(all) > 0; all = all[4:] {
		q.Encode(all[:4], code)
		q.Table(Squares, all[:4], table)
		if q.All(table, code, key); key[0] != 0 {
			t.Errorf("%v: %v", all[:4], key)
		}
	}
}
