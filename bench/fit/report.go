package fit

import (
	"fmt"
	"io"
)

// Report prints the time of every value over that of the default, and for every set the value
// chosen without it.
func Report(w io.Writer, sets []*Fronts) {
	fmt.Fprint(w, "Seconds from rows to lists over those of the default, at equal recall:\n\n| constant | value |")
	for _, f := range sets {
		fmt.Fprintf(w, " %s |", f.Set)
	}
	fmt.Fprint(w, "\n|---|---|")
	for range sets {
		fmt.Fprint(w, "---|")
	}
	fmt.Fprintln(w)
	for c, k := range Constants {
		for v, value := range k.Values {
			fmt.Fprintf(w, "| %s | %v |", k.Name, value)
			for _, f := range sets {
				if v == 0 {
					fmt.Fprintf(w, " %s |", seconds(f.Seconds[c][0]))
				} else {
					fmt.Fprintf(w, " %.2f |", f.Over(c, v))
				}
			}
			fmt.Fprintln(w)
		}
	}
	fmt.Fprint(w, "\nChosen on all sets but one, tested on that one:\n\n| constant | left out | chosen without it | takes | least would take | by |\n|---|---|---|---|---|---|\n")
	for c, k := range Constants {
		for i, f := range sets {
			chosen, best := Chosen(sets, c, i)
			fmt.Fprintf(w, "| %s | %s | %v | %.2f | %.2f | %v |\n", k.Name, f.Set, k.Values[chosen], f.Over(c, chosen), f.Over(c, best), k.Values[best])
		}
	}
}

func seconds(all []float64) (text string) {
	for i, s := range all {
		if i > 0 {
			text += ", "
		}
		text += fmt.Sprintf("%.2f s", s)
	}
	return text
}
