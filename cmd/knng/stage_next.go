package main

import (
	"context"
	"encoding/json"
	"io"

	"github.com/spf13/cobra"

	"github.com/knng/knng/builder"
	"github.com/knng/knng/builder/shards"
)

const nextHelp = `Print the tasks that can be done now, as JSON, and the result once no task is left.

With --each-line they are printed for each line of stdin, as one line: a driver asks one
process as often as it wants, in place of starting one each time. It ends with stdin, and
at the first error.`

func newStageNext(g *globals) *cobra.Command {
	w := new(workerFlags)
	var eachLine bool
	c := &cobra.Command{
		Use: "next RUN", Short: "Print the tasks to do next, as JSON", Long: nextHelp, Args: args(cobra.ExactArgs(1)),
		RunE: func(c *cobra.Command, a []string) error {
			s, err := w.open(g, a[0])
			if err != nil {
				return err
			}
			defer s.Close()
			if eachLine {
				return printEachNext(c.Context(), s, c.InOrStdin(), c.OutOrStdout())
			}
			next, err := nextOf(s)
			if err != nil {
				return err
			}
			return g.printJSON(next)
		},
	}
	c.Flags().BoolVar(&eachLine, "each-line", false, "print the tasks, as one line, for each line of stdin")
	return c
}

// printEachNext answers each line of in by the tasks to do next.
func printEachNext(ctx context.Context, s *shards.Run, in io.Reader, out io.Writer) error {
	answers := json.NewEncoder(out)
	lines := linesOf(in, func() {})
	for {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case _, more := <-lines:
			if !more {
				return nil
			}
			next, err := nextOf(s)
			if err != nil {
				return err
			}
			if err := answers.Encode(next); err != nil {
				return err
			}
		}
	}
}

// nextTasks holds the tasks to do next.
type nextTasks struct {
	Tasks  []string        `json:"tasks"`
	Done   int             `json:"done"` // of the same stages
	Doing  string          `json:"doing"`
	Ended  bool            `json:"ended"`
	Course []shards.Leg    `json:"course"`
	At     int             `json:"at"` // the leg of these tasks
	Result *builder.Result `json:"result,omitempty"`
}

func nextOf(s *shards.Run) (*nextTasks, error) {
	wave, err := s.Next()
	if err != nil {
		return nil, err
	}
	next := &nextTasks{Tasks: []string{}, Done: wave.Done, Doing: wave.Doing, Ended: wave.Ended, Course: wave.Course, At: wave.At}
	for _, t := range wave.Tasks {
		next.Tasks = append(next.Tasks, t.String())
	}
	if wave.Ended {
		next.Result, err = s.Result()
	}
	return next, err
}
