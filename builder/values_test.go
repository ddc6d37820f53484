package builder_test

import (
	"context"
	"errors"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/knng/knng/builder"
	"github.com/knng/knng/store"
	"github.com/knng/knng/vectors"
	"github.com/knng/knng/vectors/distance"
)

// TestTinyValues: rows whose squares are denormal or zero have keys as they are scaled,
// and the exact lists under them.
func TestTinyValues(t *testing.T) {
	const n, dim, k = 300, 6, 5
	rng := seeded(t)
	data := make([]float32, n*dim)
	for i := range data {
		// From the least denormal to what squares to a normal number.
		data[i] = float32(math.Ldexp(1+rng.Float64(), -149+rng.IntN(90)))
	}
	for _, m := range []distance.Metric{distance.Euclidean, distance.Cosine, distance.IP} {
		want := bruteForce(t, asCompared(t, data, dim), dim, k, m)
		for _, method := range []builder.Method{builder.Exact, builder.Paper, builder.Balls, builder.Parts} {
			o := builder.Options{K: k, Metric: m, Method: method, LeafSize: 40, Divisions: 2}
			if method != builder.Parts {
				o.Rounds = 1
			}
			dir := filepath.Join(t.TempDir(), "g")
			_, lists := build(t, dir, input(t, data, dim), o)
			checkLists(t, lists, k)
			for row, list := range lists {
				for i, e := range list {
					if math.IsNaN(float64(e.key)) || e.key < want[row][i].key {
						t.Fatalf("%v, %s: row %d: entry %d is %v, the nearest have %v", m, method, row, i, e, want[row][i])
					}
				}
			}
			if method == builder.Exact && !slices.EqualFunc(lists, want, slices.Equal) {
				t.Errorf("%v: not the exact lists", m)
			}
			if report, err := store.Check(context.Background(), dir, store.CheckOptions{Full: true}); err != nil || !report.OK() {
				t.Errorf("%v, %s: check: %v %+v", m, method, err, report)
			}
		}
	}
}

// TestTinyNorms: exact lists hold though norms, or their squares, are so small that
// float32 rounds them by much, or to 0.
func TestTinyNorms(t *testing.T) {
	least, small := float32(math.SmallestNonzeroFloat32), float32(math.Ldexp(1, -100))
	var cosine []float32
	for i := range 22 {
		switch i {
		case 0, 20:
			cosine = append(cosine, least, least, least)
		case 1, 21:
			cosine = append(cosine, small, small, 2*small)
		default:
			cosine = append(cosine, 1, -1, 0)
		}
	}
	var ip []float32
	a, b := float32(1.1e-23), float32(1.3e18)
	for i := range 22 {
		switch i {
		case 0:
			ip = append(ip, a, a, a)
		case 1:
			ip = append(ip, 0, 0, 5e5)
		case 16:
			ip = append(ip, b, -b, 1e6)
		case 17:
			ip = append(ip, -b, b, 1e6)
		case 18:
			ip = append(ip, b, -b, 0)
		default:
			ip = append(ip, 0, 0, -1)
		}
	}
	for m, data := range map[distance.Metric][]float32{distance.Cosine: cosine, distance.IP: ip} {
		_, lists := build(t, filepath.Join(t.TempDir(), "g"), input(t, data, 3), builder.Options{K: 1, Metric: m, Method: builder.Exact})
		if want := bruteForce(t, data, 3, 1, m); !slices.EqualFunc(lists, want, slices.Equal) {
			t.Errorf("%v: %v, want %v", m, lists, want)
		}
	}
}

// TestRoundedBeyond: rows whose squared norms are a quarter of the largest float32 but
// for its last bits, and whose distance overflows because their differences are rounded.
func TestRoundedBeyond(t *testing.T) {
	unit := float32(math.Ldexp(1, 39))
	data := []float32{11861782 * unit, 11864783 * unit, -11861781 * unit, -11864784 * unit, 1, 0, 2, 0, 3, 0} // most are ordinary: none is scaled
	_, err := builder.Build(context.Background(), filepath.Join(t.TempDir(), "g"), input(t, data, 2), builder.Options{K: 2, Method: builder.Exact})
	if !errors.Is(err, builder.ErrBadRows) {
		t.Errorf("error %v, want ErrBadRows", err)
	}
}

// TestHugeValues: rows whose distances would overflow are bad rows, as are the
// infinities that a float16 overflows to; the largest that would not are none.
func TestHugeValues(t *testing.T) {
	const n, dim = 50, 4
	edge := float32(math.Sqrt(math.MaxFloat32/4/dim)) * 0.999
	for _, c := range []struct {
		name  string
		typ   vectors.Type
		value float32
		bad   bool
	}{
		{"at the edge", vectors.Float32, edge, false},
		{"beyond it", vectors.Float32, edge * 1.01, true},
		{"the largest float32", vectors.Float32, math.MaxFloat32, true},
		{"the largest float16", vectors.Float16, 65504, false},
		{"a float16 that overflowed", vectors.Float16, float32(math.Inf(1)), true},
	} {
		data := clustered(5, n, dim)
		for j := range dim { // two rows, as far apart as can be
			data[7*dim+j], data[9*dim+j] = c.value, -c.value
		}
		raw := make([]byte, len(data)*c.typ.Size())
		for i, x := range data { // Encode refuses what a file may hold all the same
			encodeRaw(c.typ, x, raw[i*c.typ.Size():])
		}
		rows, err := vectors.RowsOf(raw, n, dim, dim*c.typ.Size(), c.typ)
		if err != nil {
			t.Fatal(err)
		}
		o := builder.Options{K: n - 1, Method: builder.Exact}
		_, err = builder.Build(context.Background(), filepath.Join(t.TempDir(), "g"), vectors.NewInput(rows), o)
		if errors.Is(err, builder.ErrBadRows) != c.bad || c.bad && !strings.Contains(err.Error(), "(rows 7 9, counted from 0)") {
			t.Errorf("%s: %v, bad rows wanted: %v", c.name, err, c.bad)
		}
		o.BadRows = builder.Isolate
		_, lists := build(t, filepath.Join(t.TempDir(), "g"), vectors.NewInput(rows), o)
		for row, list := range lists {
			if isolated := len(list) == 0; isolated != (c.bad && (row == 7 || row == 9)) {
				t.Errorf("%s: row %d isolated: %v", c.name, row, isolated)
			}
			for _, e := range list {
				if math.IsInf(float64(e.key), 0) || math.IsNaN(float64(e.key)) {
					t.Errorf("%s: row %d: key %v", c.name, row, e.key)
				}
			}
		}
	}
}

// TestBadRowsAtRandom: with any share of bad rows, isolating them leaves the
// graph of the others, whose rows dropping them numbers anew.
func TestBadRowsAtRandom(t *testing.T) {
	const n, dim, k = 120, 3, 4
	rng := seeded(t)
	for _, share := range []int{1, 30, 99, 100} {
		data := clustered(5, n, dim)
		var good []uint32
		for row := range n {
			if rng.IntN(100) < share {
				data[row*dim+rng.IntN(dim)] = pick(rng, float32(math.NaN()), float32(math.Inf(1)), math.MaxFloat32)
			} else {
				good = append(good, uint32(row))
			}
		}
		o := builder.Options{K: k, Method: builder.Exact, BadRows: builder.Isolate}
		if len(good) == 0 {
			if _, err := builder.Build(context.Background(), filepath.Join(t.TempDir(), "g"), input(t, data, dim), o); !errors.Is(err, builder.ErrBadRows) {
				t.Errorf("no row is left: %v, want ErrBadRows", err)
			}
			continue
		}
		_, isolated := build(t, filepath.Join(t.TempDir(), "g"), input(t, data, dim), o)
		o.BadRows = builder.Drop
		dir := filepath.Join(t.TempDir(), "g")
		_, dropped := build(t, dir, input(t, data, dim), o)
		if len(dropped) != len(good) {
			t.Fatalf("%d %% bad: %d rows left, want %d", share, len(dropped), len(good))
		}
		for i, row := range good {
			want := slices.Clone(dropped[i])
			for j := range want {
				want[j].row = good[want[j].row]
			}
			if !slices.Equal(isolated[row], want) {
				t.Fatalf("%d %% bad: row %d: %v isolated, %v dropped", share, row, isolated[row], want)
			}
		}
	}
}

// encodeRaw writes one element, in range or not.
func encodeRaw(t vectors.Type, x float32, dst []byte) {
	bits := uint64(math.Float32bits(x))
	if t == vectors.Float16 {
		bits = uint64(vectors.Float32ToFloat16(x))
	}
	for i := range t.Size() {
		dst[i] = byte(bits >> (8 * i))
	}
}
