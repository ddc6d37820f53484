package main

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"golang.org/x/term"

	"github.com/knng/knng/builder"
)

// reporter returns the printer of a build's progress that the flags choose.
func (g *globals) reporter() func(builder.Event) {
	switch g.way() {
	case "none":
		return nil
	case "json":
		return jsonLines(g.stderr, time.Now)
	case "bar":
		return (&bar{w: g.stderr, now: time.Now, cells: g.cells()}).show
	}
	return (&lines{w: g.stderr, now: time.Now, last: time.Now()}).show
}

// way is how progress is shown: none, plain, bar or json.
func (g *globals) way() string {
	switch {
	case g.quiet:
		return "none"
	case g.progress != "auto":
		return g.progress
	case g.cells() > 0:
		return "bar"
	}
	return "plain"
}

// cells is the width of the terminal that progress goes to, 0 where it is none.
func (g *globals) cells() int { return terminalCells(g.stderr) }

// terminalCells is the width of a terminal, 0 of all else.
func terminalCells(w io.Writer) int {
	f, ok := w.(*os.File)
	if !ok || !term.IsTerminal(int(f.Fd())) {
		return 0
	}
	if width, _, err := term.GetSize(int(f.Fd())); err == nil && width > 0 {
		return width
	}
	return 80
}

// jsonLines prints events as objects on lines: messages, the begin and end of every phase,
// and between them at most one a second.
func jsonLines(w io.Writer, now func() time.Time) func(builder.Event) {
	enc := json.NewEncoder(w)
	var last time.Time
	phase := ""
	return func(e builder.Event) {
		at := now()
		if e.Message == "" && !e.End && e.Phase == phase && at.Sub(last) < time.Second {
			return
		}
		last, phase = at, e.Phase
		line := map[string]any{"time": at.UTC().Format(time.RFC3339Nano), "phase": e.Phase, "done": e.Done, "total": e.Total, "unit": e.Unit,
			"seconds": e.Elapsed.Seconds(), "message": e.Message, "end": e.End}
		if e.Share > 0 {
			line["share"], line["left_seconds"] = e.Share, e.Left.Seconds()
		}
		if e.Memory > 0 {
			line["memory_bytes"], line["disk_bytes"] = e.Memory, e.Disk
		}
		enc.Encode(line)
	}
}

// lines prints messages, ends of phases that took three seconds, and a line ten seconds after
// the last.
type lines struct {
	w    io.Writer
	now  func() time.Time
	last time.Time
}

func (l *lines) show(e builder.Event) {
	switch {
	case e.Message != "" && e.Phase == "":
		fmt.Fprintln(l.w, e.Message)
	case e.Message != "":
		fmt.Fprintf(l.w, "%s (%s)\n", e.Message, short(e.Elapsed))
	case e.End && e.Elapsed >= 3*time.Second:
		fmt.Fprintf(l.w, "%s done (%s)\n", e.Phase, short(e.Elapsed))
	case !e.End && l.now().Sub(l.last) >= 10*time.Second:
		fmt.Fprintln(l.w, status(e))
	default:
		return
	}
	l.last = l.now()
}

// bar redraws one line, at most ten times a second.
type bar struct {
	w     io.Writer
	now   func() time.Time
	last  time.Time
	cells int // of a line of the terminal; 0 is not known
	drawn int // width of the text that is drawn
}

func (b *bar) show(e builder.Event) {
	if e.Message != "" {
		b.clear()
		line := e.Message
		if e.Phase != "" {
			line = fmt.Sprintf("%s (%s)", e.Message, short(e.Elapsed))
		}
		fmt.Fprintln(b.w, line)
		return
	}
	if e.End {
		b.clear()
		return
	}
	if b.now().Sub(b.last) < 100*time.Millisecond {
		return
	}
	b.last = b.now()
	line := meter(e) + status(e)
	if b.cells > 0 { // a line that wraps cannot be drawn over, and the last cell may wrap
		line = line[:min(len(line), b.cells-1)]
	}
	fmt.Fprint(b.w, "\r", line, strings.Repeat(" ", max(0, b.drawn-len(line))))
	b.drawn = len(line)
}

func (b *bar) clear() {
	if b.drawn > 0 {
		fmt.Fprint(b.w, "\r", strings.Repeat(" ", b.drawn), "\r")
		b.drawn = 0
	}
}

// meterWidth is the cells of the bar itself.
const meterWidth = 24

func meter(e builder.Event) string {
	if e.Total <= 0 && e.Share == 0 {
		return ""
	}
	full := 0
	if e.Total > 0 {
		full = int(meterWidth * min(e.Done, e.Total) / e.Total)
	}
	if e.Share > 0 { // of the whole build
		full = int(meterWidth * e.Share)
	}
	return "[" + strings.Repeat("#", full) + strings.Repeat(".", meterWidth-full) + "] "
}

// status is phase, count, rate and the time left at that rate.
func status(e builder.Event) string {
	switch {
	case e.Total <= 0 && e.Share > 0:
		return fmt.Sprintf("%s (%s); %s", e.Phase, short(e.Elapsed), whole(e))
	case e.Total <= 0 && e.Done > 0:
		return fmt.Sprintf("%s: %d %s (%s)", e.Phase, e.Done, e.Unit, short(e.Elapsed))
	case e.Total <= 0:
		return fmt.Sprintf("%s (%s)", e.Phase, short(e.Elapsed))
	}
	s := fmt.Sprintf("%s: %d of %d %s", e.Phase, e.Done, e.Total, e.Unit)
	if e.Done == 0 || e.Elapsed <= 0 {
		return s
	}
	rate := float64(e.Done) / e.Elapsed.Seconds()
	if e.Share > 0 {
		return fmt.Sprintf("%s, %s/s; %s", s, brief(rate), whole(e))
	}
	left := time.Duration(float64(e.Total-e.Done) / rate * float64(time.Second))
	return fmt.Sprintf("%s, %s/s, %s left", s, brief(rate), short(left))
}

// whole is how far the whole build is.
func whole(e builder.Event) string {
	s := fmt.Sprintf("in all %d %%, %s left", wholePercent(e.Share), short(e.Left.Round(time.Second)))
	if e.Memory > 0 {
		s += fmt.Sprintf("; memory %s, disk %s", size(e.Memory), size(e.Disk))
	}
	return s
}

// wholePercent is a share in whole per cent: 100 is for the end.
func wholePercent(share float64) int { return int(100*share + 1e-6) }

// brief writes a rate with three digits.
func brief(x float64) string {
	switch {
	case x >= 1e6:
		return fmt.Sprintf("%.3gM", x/1e6)
	case x >= 1e4:
		return fmt.Sprintf("%.3gk", x/1e3)
	}
	return fmt.Sprintf("%.3g", x)
}

// short writes a duration for people.
func short(d time.Duration) string {
	switch {
	case d < 10*time.Second:
		return fmt.Sprintf("%.2f s", d.Seconds())
	case d < 2*time.Minute:
		return fmt.Sprintf("%.0f s", d.Seconds())
	}
	return d.Round(time.Second).String()
}
