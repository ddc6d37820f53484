package main

import (
	"strings"
	"testing"
	"time"

	"github.com/knng/knng/builder"
)

// clock is a time that tests set.
type clock struct{ at time.Time }

func (c *clock) now() time.Time { return c.at }

func TestLines(t *testing.T) {
	var out strings.Builder
	c := &clock{at: time.Unix(1000, 0)}
	l := &lines{w: &out, now: c.now}
	for _, step := range []struct {
		pass time.Duration
		e    builder.Event
		want string
	}{
		{0, builder.Event{Message: "resuming after 2 finished stages"}, "resuming after 2 finished stages\n"},
		{0, builder.Event{Phase: "leaves", Done: 1, Total: 10, Elapsed: time.Second}, ""},
		{10 * time.Second, builder.Event{Phase: "leaves", Done: 5, Total: 10, Unit: "units", Elapsed: 10 * time.Second}, "leaves: 5 of 10 units, 0.5/s, 10 s left\n"},
		{time.Second, builder.Event{Phase: "leaves", Done: 6, Total: 10, Elapsed: 11 * time.Second}, ""},
		{time.Second, builder.Event{Phase: "leaves", Elapsed: 20 * time.Second, End: true}, "leaves done (20 s)\n"},
		{0, builder.Event{Phase: "seal", Elapsed: time.Millisecond, End: true}, ""},
		{0, builder.Event{Phase: "division 3", Message: "division 3: effective rate 0.2", Elapsed: 1500 * time.Millisecond, End: true}, "division 3: effective rate 0.2 (1.50 s)\n"},
	} {
		out.Reset()
		c.at = c.at.Add(step.pass)
		l.show(step.e)
		if out.String() != step.want {
			t.Errorf("%+v: %q, want %q", step.e, out.String(), step.want)
		}
	}
}

func TestBar(t *testing.T) {
	var out strings.Builder
	c := &clock{at: time.Unix(1000, 0)}
	b := &bar{w: &out, now: c.now}
	e := builder.Event{Phase: "order", Done: 3_000_000, Total: 4_000_000, Unit: "rows", Elapsed: 3 * time.Second}
	b.show(e)
	b.show(e) // too soon to be drawn again
	want := "\r[##################......] order: 3000000 of 4000000 rows, 1e+06/s, 1.00 s left"
	if got := out.String(); got != strings.Replace(want, "1e+06", "1M", 1) {
		t.Errorf("%q, want %q", got, want)
	}
	narrow := &bar{w: &out, now: c.now, cells: 40}
	out.Reset()
	narrow.show(e)
	if got := strings.TrimPrefix(out.String(), "\r"); got != want[1:40] {
		t.Errorf("in 40 cells: %q, want %q", got, want[1:40])
	}
	out.Reset()
	b.show(builder.Event{Phase: "order", End: true})
	if got := out.String(); strings.TrimSpace(got) != "" || !strings.HasSuffix(got, "\r") {
		t.Errorf("the end leaves %q", got)
	}
}
