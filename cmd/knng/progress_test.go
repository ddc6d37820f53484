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
	l := &lines{w: &out, now: c.now, last: c.now()}
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
		{9 * time.Second, builder.Event{Phase: "fold", Elapsed: 2 * time.Second}, ""},
		{time.Second, builder.Event{Phase: "fold", Elapsed: 3 * time.Second, Share: 0.5, Left: 20 * time.Second}, "fold (3.00 s); in all 50 %, 20 s left\n"},
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

// TestJSONLines: one line a second, and every begin, end and message; with the whole where
// that is known.
func TestJSONLines(t *testing.T) {
	var out strings.Builder
	c := &clock{at: time.Unix(1000, 0)}
	show := jsonLines(&out, c.now)
	for range 40 {
		show(builder.Event{Phase: "order", Done: 1, Total: 4})
		c.at = c.at.Add(100 * time.Millisecond)
	}
	show(builder.Event{Phase: "order", End: true})
	show(builder.Event{Phase: "load", Share: 0.25, Left: 90 * time.Second, Memory: 7, Disk: 9})
	show(builder.Event{Phase: "load", Message: "a line"})
	lines := strings.Split(strings.TrimSpace(out.String()), "\n")
	if len(lines) != 7 {
		t.Fatalf("%d lines, want 7: %s", len(lines), &out)
	}
	for _, want := range []string{`"share":0.25`, `"left_seconds":90`, `"memory_bytes":7`, `"disk_bytes":9`, `"time":"1970-01-01T00:16:44Z"`} {
		if !strings.Contains(lines[5], want) || strings.Contains(lines[0], "share") {
			t.Errorf("%s is not in %s, or in %s", want, lines[5], lines[0])
		}
	}
}

// TestWhole: bar and lines show the whole build where it is known.
func TestWhole(t *testing.T) {
	e := builder.Event{Phase: "division 2", Done: 3, Total: 4, Unit: "rows", Elapsed: time.Second, Share: 0.25, Left: 90 * time.Second, Memory: 5 << 20, Disk: 2 << 30}
	if got, want := meter(e)+status(e), "[######..................] division 2: 3 of 4 rows, 3/s; in all 25 %, 90 s left; memory 5.0 MiB, disk 2.00 GiB"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	e.Total, e.Done = 0, 0
	if got, want := meter(e)+status(e), "[######..................] division 2 (1.00 s); in all 25 %, 90 s left; memory 5.0 MiB, disk 2.00 GiB"; got != want {
		t.Errorf("%q, want %q", got, want)
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
