package kill

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
)

// Report sums outcomes up. The zero value is ready.
type Report struct {
	Builds, Kills, Wrong int
	phases               map[string]int
	redone, shares       []float64 // a kill: CPU seconds, and their part of the whole build's
}

// Add counts one more outcome.
func (r *Report) Add(o *Outcome) {
	r.Builds++
	r.Kills += len(o.Kills)
	if o.Wrong() {
		r.Wrong++
	}
	if r.phases == nil {
		r.phases = map[string]int{}
	}
	for _, p := range o.Phases {
		r.phases[kind(p)]++
	}
	if kills := float64(len(o.Kills)); kills > 0 {
		r.redone = append(r.redone, o.Redone()/kills)
		r.shares = append(r.shares, o.Redone()/kills/o.Reference.CPU)
	}
}

// kind is a phase without its number.
func kind(phase string) string {
	return strings.Join(strings.FieldsFunc(phase, func(c rune) bool { return c == ' ' || c == ':' || c >= '0' && c <= '9' }), " ")
}

// Write prints the sums.
func (r *Report) Write(w io.Writer) {
	fmt.Fprintf(w, "%d kills of %d builds, %d wrong graphs\n", r.Kills, r.Builds, r.Wrong)
	var phases []string
	for _, p := range slices.SortedFunc(maps.Keys(r.phases), func(a, b string) int { return r.phases[b] - r.phases[a] }) {
		phases = append(phases, fmt.Sprintf("%s %d", p, r.phases[p]))
	}
	fmt.Fprintf(w, "killed in: %s\n", strings.Join(phases, ", "))
	if len(r.redone) > 0 {
		slices.Sort(r.redone)
		slices.Sort(r.shares)
		fmt.Fprintf(w, "CPU redone a kill, beyond a build left alone: median %.2f s, most %.2f s; of the whole build median %.0f %%, most %.0f %%\n",
			r.redone[len(r.redone)/2], r.redone[len(r.redone)-1], 100*r.shares[len(r.shares)/2], 100*r.shares[len(r.shares)-1])
	}
}
