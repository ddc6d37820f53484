package capped

import (
	"slices"
	"testing"
)

// Bytes belong to the phase whose name came last; phases of a kind add up.
func TestPhases(t *testing.T) {
	var read, written int64
	p := newPhases(func() (int64, int64) { return read, written })
	step := func(r, w int64, line string) {
		read, written = read+r, written+w
		p.Write([]byte(line))
	}
	step(5, 1, `{"phase":"order","end":false}`+"\n")
	p.note(100, 200)
	step(30, 0, `{"phase":"order","do`)
	step(0, 0, `ne":7}`+"\nknng: a line\n"+`{"phase":"","message":"said"}`+"\n")
	step(10, 2, `{"phase":"order","end":true}`+"\n")
	step(1, 0, `{"phase":"division 1: carve"}`+"\n"+`{"phase":"division 1"}`+"\n")
	step(7, 0, `{"phase":"division 2: carve"}`+"\n")
	step(9, 0, `{"phase":"division 2"}`+"\nno end")
	all, errors := p.end(read+4, written)
	if errors != "knng: a line\nno end" {
		t.Errorf("standard error %q", errors)
	}
	var names []string
	var bytes []int64
	merged := Merged(all)
	for _, m := range merged {
		names, bytes = append(names, m.Name), append(bytes, m.ReadBytes)
	}
	if want := []string{between, "order", "division: carve", "division"}; !slices.Equal(names, want) {
		t.Errorf("phases %q, want %q", names, want)
	}
	if want := []int64{6, 40, 9, 11}; !slices.Equal(bytes, want) {
		t.Errorf("bytes %v, want %v", bytes, want)
	}
	if order := merged[1]; order.WrittenBytes != 2 || order.PeakAnon != 100 || order.PeakUsage != 200 {
		t.Errorf("order took %+v", order)
	}
}

func TestNoCommand(t *testing.T) {
	if _, err := new(Config).Run(t.Context()); err == nil {
		t.Error("no error")
	}
}
