package torture

import (
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"text/tabwriter"
	"time"
)

// A Config says how much is attacked.
type Config struct {
	Knng     string        // the command
	Seed     uint64        // of all choices
	First    uint64        // number of the first case
	Cases    int           // 0: until For ends
	For      time.Duration // 0: until Cases are done
	Folder   string        // for inputs and stores, of a name that the seed gives: links are absolute
	Failures string        // folder for the files of failures
	Patience time.Duration // after which a command hangs; 0: a minute
	Log      io.Writer     // told of failures; nil: nobody
}

// Counts are of one kind of cases.
type Counts struct {
	Cases, Intact, Errors, Wrong int
	Skipped                      string // why this machine does none
}

// A Report is the outcome of the cases, by kind.
type Report struct {
	Kinds map[string]*Counts
	Next  uint64 // number of the first case that was not run
}

// Wrong is how many cases broke the promise.
func (r *Report) Wrong() (n int) {
	for _, c := range r.Kinds {
		n += c.Wrong
	}
	return n
}

// Write writes the report as a table of Markdown.
func (r *Report) Write(out io.Writer) {
	w := tabwriter.NewWriter(out, 0, 0, 1, ' ', 0)
	fmt.Fprintln(w, "| attack \t| cases \t| answered as intact \t| an error \t| wrong \t|")
	fmt.Fprintln(w, "|---\t|---\t|---\t|---\t|---\t|")
	var all Counts
	for _, k := range kinds {
		c := r.Kinds[k.name]
		if c == nil {
			continue
		}
		if c.Skipped != "" {
			fmt.Fprintf(w, "| %s \t| not here: %s \t| \t| \t| \t|\n", k.name, c.Skipped)
			continue
		}
		fmt.Fprintf(w, "| %s \t| %d \t| %d \t| %d \t| %d \t|\n", k.name, c.Cases, c.Intact, c.Errors, c.Wrong)
		all = Counts{Cases: all.Cases + c.Cases, Intact: all.Intact + c.Intact, Errors: all.Errors + c.Errors, Wrong: all.Wrong + c.Wrong}
	}
	fmt.Fprintf(w, "| all \t| %d \t| %d \t| %d \t| %d \t|\n", all.Cases, all.Intact, all.Errors, all.Wrong)
	w.Flush()
}

// Run attacks. The error is one that kept it from going on.
func (c *Config) Run() (*Report, error) {
	w, err := c.world()
	if err != nil {
		return nil, err
	}
	report := &Report{Kinds: map[string]*Counts{}, Next: c.First}
	end := time.Now().Add(c.For)
	for n := 0; (c.Cases == 0 || n < c.Cases) && (c.For == 0 || time.Now().Before(end)); n++ {
		if err := c.one(w, report); err != nil {
			return report, err
		}
	}
	return report, os.RemoveAll(w.base)
}

// world makes the stores that cases share.
func (c *Config) world() (*world, error) {
	patience := c.Patience
	if patience == 0 {
		patience = time.Minute
	}
	base := filepath.Join(c.Folder, fmt.Sprintf("knng-torture-%d", c.Seed))
	if err := os.RemoveAll(base); err != nil {
		return nil, err
	}
	if err := os.MkdirAll(filepath.Join(base, "tmp"), 0o777); err != nil {
		return nil, err
	}
	return newWorld(c.Knng, base, c.Seed, patience)
}

// one runs the next case.
func (c *Config) one(w *world, report *Report) error {
	s := &Spec{Seed: c.Seed, Number: report.Next}
	report.Next++
	rng := rand.New(rand.NewPCG(s.Seed, s.Number))
	k := drawn(rng)
	s.Kind, s.Build, s.Input = k.name, builds[rng.IntN(len(builds))].Name, inputs[rng.IntN(len(inputs))]
	counts := report.Kinds[k.name]
	if counts == nil {
		counts = new(Counts)
		report.Kinds[k.name] = counts
	}
	if counts.Skipped != "" {
		return nil
	}
	if err := w.began(); err != nil {
		return err
	}
	err := k.prepare(w, s, rng)
	if skipped := (errSkipped{}); errors.As(err, &skipped) {
		counts.Skipped = skipped.Error()
		return nil
	}
	if err != nil {
		return err
	}
	packed, err := pack(w.home())
	if err != nil {
		return err
	}
	w.judge(s)
	counts.Cases++
	switch {
	case len(s.Wrong) > 0:
		counts.Wrong++
		return c.failed(s, packed)
	case s.Ended == "as intact":
		counts.Intact++
	default:
		counts.Errors++
	}
	return nil
}

// drawn draws a kind by its weight.
func drawn(rng *rand.Rand) *kind {
	all := 0
	for _, k := range kinds {
		all += k.weight
	}
	at := rng.IntN(all)
	for i := range kinds {
		if at -= kinds[i].weight; at < 0 {
			return &kinds[i]
		}
	}
	return &kinds[0]
}
