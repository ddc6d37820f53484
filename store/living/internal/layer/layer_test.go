package layer

import (
	"encoding/binary"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"github.com/cespare/xxhash/v2"
)

func all(uint32) bool { return true }

// some makes a layer of 20 positions and 10 rows.
func some() *Layer {
	rng := rand.New(rand.NewPCG(1, 1))
	l := &Layer{Base: 20, Rows: 10, Op: 12, Anchors: make([]uint32, 10)}
	for ref := range uint32(30) {
		if ref%3 == 0 {
			continue
		}
		var list []Entry
		for range 5 {
			list = append(list, Entry{20 + rng.Uint32N(10), float32(rng.IntN(9))})
		}
		list, h := Fold(list, Inf, 4, all)
		l.Lists.Append(ref, h, list)
	}
	l.Controls.Append(3, Inf, []Entry{{21, 1}})
	l.Anchors[2] = NoRef
	l.Link()
	return l
}

// TestFile: a layer is decoded as it was encoded, and every bit that flips is found.
func TestFile(t *testing.T) {
	l := some()
	b := l.Encode()
	if len(b) != l.size() {
		t.Errorf("%d bytes, want %d", len(b), l.size())
	}
	got, err := Decode(b, 20)
	if err != nil || !reflect.DeepEqual(got, l) {
		t.Fatalf("%+v, %v, want %+v", got, err, l)
	}
	for i := range b {
		c := slices.Clone(b)
		c[i] ^= 1 << (i % 8)
		if _, err := Decode(c, 20); err == nil {
			t.Errorf("byte %d is another, and nobody sees it", i)
		}
	}
	if _, err := Decode(b, 21); err == nil {
		t.Error("a layer of another base is taken")
	}
}

// FuzzDecode: a layer that is taken can be walked and written, whoever made it.
func FuzzDecode(f *testing.F) {
	f.Add(some().Encode())
	f.Fuzz(func(t *testing.T, b []byte) {
		if len(b) >= head+8 {
			binary.LittleEndian.PutUint64(b[len(b)-8:], xxhash.Sum64(b[:len(b)-8]))
		}
		l, err := Decode(b, 20)
		if err != nil || l.Rows > 1000 {
			return
		}
		for ref := range l.Base + l.Rows {
			for _, row := range l.Links(ref) {
				if row >= l.Rows {
					t.Fatalf("ref %d is linked to row %d of %d", ref, row, l.Rows)
				}
			}
		}
		if !slices.Equal(l.Encode(), b) {
			t.Fatal("it is written as another")
		}
	})
}

// TestMerge: lists with offers are the nearest of both that live, up to the horizon.
func TestMerge(t *testing.T) {
	var l Lists
	l.Append(1, 5, []Entry{{4, 1}, {5, 5}})
	l.Append(2, Inf, []Entry{{4, 1}})
	offers := []Offer{{7, Entry{9, 3}}, {1, Entry{8, 2}}, {1, Entry{9, 6}}, {1, Entry{8, 2}}, {7, Entry{8, 3}}, {3, Entry{8, 3}}}
	got := l.Merge(offers, 2, func(ref uint32) bool { return ref != 3 && ref != 4 }, func(uint32) float32 { return 3 })
	var want Lists
	want.Append(1, 5, []Entry{{8, 2}, {5, 5}})
	want.Append(2, Inf, nil)
	want.Append(7, 3, []Entry{{8, 3}, {9, 3}})
	if !reflect.DeepEqual(got, want) {
		t.Errorf("%+v, want %+v", got, want)
	}
}
