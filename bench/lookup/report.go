package lookup

import (
	"fmt"
	"io"
)

// Header begins the table of PrintRow.
func Header(w io.Writer) {
	fmt.Fprintln(w, "| lists | cache | rows | p50 µs | p99 µs | most µs | mean µs | read B | anon MB | resident MB |")
	fmt.Fprintln(w, "|---|---|---|---|---|---|---|---|---|---|")
}

// PrintRow prints a report as a line of a Markdown table. Of p50 and p99 the
// clock's own time is taken off.
func PrintRow(w io.Writer, r *Report) {
	cache, rows := "warm", "random"
	if r.Cold {
		cache = "cold"
	}
	if r.Sequential {
		rows = "sequential"
	}
	fmt.Fprintf(w, "| %s | %s | %s | %.3f | %.3f | %.1f | %.3f | %.0f | %.1f | %.1f |\n", r.Way, cache, rows,
		(r.P50-r.Clock)/1e3, (r.P99-r.Clock)/1e3, r.Most/1e3, r.Mean/1e3, r.Read, float64(r.Anon)/1e6, float64(r.Resident)/1e6)
}
