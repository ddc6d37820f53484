package search

import (
	"errors"
	"os"
	"slices"
	"testing"
)

// some is a file of links as parse wants it.
func some() (identity, []byte) {
	id := identity{places: 5, width: 4, listed: 2, leaders: 3, seed: 1, order: 7, graph: "abc", norms: true}
	l := &links{identity: id, leaders: []leader{{0, 1}, {0, 4}, {3, 3}}, norms: []float64{1, 2, 3, 4, 5}}
	table := make([]byte, id.tableBytes())
	for i := range table {
		table[i] = byte(i)
	}
	rest := l.encodeRest()
	data := append(id.header(id.sumOf(table, 0), sumRest(rest)), table...)
	return id, append(append(data, make([]byte, id.leadersAt()-headerBytes-len(table))...), rest...)
}

// TestParse: a file is read back as it was written, and no changed byte outside the table passes.
func TestParse(t *testing.T) {
	id, data := some()
	l, err := parse(data, id)
	if err != nil || len(l.table) != id.tableBytes() || l.leaders[2] != (leader{3, 3}) || l.norms[4] != 5 {
		t.Fatal(l, err)
	}
	for at := range data {
		if at >= headerBytes && at < headerBytes+id.tableBytes() {
			continue
		}
		data[at] ^= 0x10
		if _, err := parse(data, id); err == nil {
			t.Errorf("byte %d may change", at)
		}
		data[at] ^= 0x10
	}
	for size := range data {
		if _, err := parse(data[:size], id); err == nil {
			t.Errorf("%d bytes pass", size)
		}
	}
	other := id
	other.order++
	if _, err := parse(data, other); !errors.Is(err, errOther) {
		t.Error(err)
	}
}

// FuzzParse: no file of links makes parse fail otherwise than by an error.
func FuzzParse(f *testing.F) {
	id, data := some()
	f.Add(data, false)
	f.Add(data[:headerBytes], true)
	f.Add([]byte{}, false)
	f.Fuzz(func(t *testing.T, data []byte, sealed bool) {
		if sealed && len(data) >= headerBytes { // a header of a stranger who can hash
			data = slices.Clone(data)
			copy(data[sumAt:], sumBytes(data[:sumAt]))
		}
		l, err := parse(data, id)
		if err != nil {
			return
		}
		for _, leader := range l.leaders {
			if int(leader.place) >= id.places {
				t.Errorf("leader %v", leader)
			}
		}
	})
}

// TestWrongLinks: links that lead nowhere are an error that says which, and wrong ones that
// lead somewhere are found by Check alone.
func TestWrongLinks(t *testing.T) {
	s := small(t)
	path := Path(s.g.Dir())
	for _, c := range []struct {
		to    byte
		fails bool
	}{{1, false}, {0x40, true}} {
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		for at := headerBytes; at < headerBytes+s.links.tableBytes(); at += 4 {
			data[at], data[at+1], data[at+2], data[at+3] = 1, 0, 0, 0
			if c.fails {
				data[at+3] = c.to
			}
		}
		if err := os.WriteFile(path, data, 0o666); err != nil {
			t.Fatal(err)
		}
		again, err := Open(s.g, nil)
		if err != nil {
			t.Fatal(err)
		}
		got, err := again.Search(make([]float32, s.Dim()), Query{K: 3})
		if c.fails && !errors.Is(err, ErrCorrupt) || !c.fails && (err != nil || len(got) != 3) {
			t.Errorf("%v: %v %v", c, got, err)
		}
		if err := Check(t.Context(), s.g); !errors.Is(err, ErrCorrupt) {
			t.Errorf("check: %v", err)
		}
		again.Close()
	}
}
