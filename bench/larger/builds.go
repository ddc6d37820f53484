package larger

import (
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/knng/knng/builder"
	"github.com/knng/knng/store"
)

// Ours names knng among the sides.
const Ours = "knng"

// Sides builds all rows with the limit and without it, in turn, Repeats times.
func (c *Config) Sides(ctx context.Context) error {
	return c.with(func(r *runner) error {
		for repeat := range c.Repeats {
			for _, limit := range []int64{c.Cap, 0} {
				if err := r.build(ctx, r.in.Len(), limit, repeat); err != nil {
					return err
				}
			}
		}
		return nil
	})
}

// Curve builds the first n rows under the limit, for every n, Repeats times.
func (c *Config) Curve(ctx context.Context, counts []int) error {
	return c.with(func(r *runner) error {
		for repeat := range c.Repeats {
			for _, n := range counts {
				if n < 1 || n > r.in.Len() {
					return fmt.Errorf("larger: %d rows asked for, %s has %d", n, c.Data, r.in.Len())
				}
				if err := r.build(ctx, n, c.Cap, repeat); err != nil {
					return err
				}
			}
		}
		return nil
	})
}

// build runs knng once.
func (r *runner) build(ctx context.Context, rows int, limit int64, repeat int) error {
	flags := r.Flags
	if limit > 0 && r.Memory != "" {
		flags = append([]string{"--memory", r.Memory}, flags...)
	}
	out := filepath.Join(r.dir, "graph.knng")
	args := []string{r.Knng, "build", r.Data, "-o", out, "--json", "--progress", "json"}
	if rows < r.in.Len() {
		args = append(args, "--limit-rows", fmt.Sprint(rows))
	}
	t := r.task(Ours, strings.Join(flags, " "), rows, limit, repeat)
	return r.once(ctx, t, append(args, flags...), out, func(run *Run) error { return r.judgeStore(run, out) })
}

// judgeStore measures a finished graph, by exact lists where there are some,
// else as it reports itself.
func (r *runner) judgeStore(run *Run, out string) error {
	j, err := r.judge(run.Rows)
	if err != nil {
		return err
	}
	if j == nil {
		result, err := run.result()
		run.Recall, run.JudgedBy = &result.Recall, "build"
		return err
	}
	s, err := store.Open(out, nil)
	if err != nil {
		return err
	}
	defer s.Close()
	estimate, err := j.Store(s)
	run.Recall, run.JudgedBy = &estimate, "truth"
	return err
}

// result is the build's report.
func (r *Run) result() (result builder.Result, err error) {
	err = json.Unmarshal(r.Outcome.Result, &result)
	if err != nil {
		return result, fmt.Errorf("larger: result of the build: %w", err)
	}
	return result, nil
}

// checksum is that of the graph, "" where there is none.
func (r *Run) checksum() string {
	result, err := r.result()
	if err != nil {
		return ""
	}
	return result.Checksum
}
