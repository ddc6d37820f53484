package main

import (
	"bufio"
	"context"
	"encoding/json"
	"io"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/knng/knng/builder/shards"
)

const workHelp = `Do tasks that come line by line on stdin, such as "solve 1 17", and answer each by a line on
stdout, such as {"code":0,"said":""}: the exit code and the error of "knng stage do".

A process that does many tasks starts once, and keeps what the tasks of a stage have in
common. It ends after the last line, or when no task came for the time of --idle. With --attached
the end of stdin means that who asked is gone: a task is then given up in the middle.`

// workerIdle is how long a process waits for a task before it gives its memory back.
const workerIdle = 10 * time.Second

func newStageWork(g *globals) *cobra.Command {
	w := new(workerFlags)
	var idle time.Duration
	var attached bool
	c := &cobra.Command{
		Use: "work RUN", Short: "Do the tasks that come on stdin", Long: workHelp, Args: args(cobra.ExactArgs(1)),
		RunE: func(c *cobra.Command, a []string) error {
			s, err := w.open(g, a[0])
			if err != nil {
				return err
			}
			defer s.Close()
			return g.work(c.Context(), s, c.InOrStdin(), c.OutOrStdout(), idle, attached)
		},
	}
	w.bind(c)
	c.Flags().DurationVar(&idle, "idle", workerIdle, "end when no task came for so long")
	c.Flags().BoolVar(&attached, "attached", false, "give up tasks when stdin ends")
	return c
}

// work does tasks until none comes. Where it is attached, who asks for them is gone when in ends.
func (g *globals) work(ctx context.Context, s *shards.Run, in io.Reader, out io.Writer, idle time.Duration, attached bool) error {
	asked, cancel := context.WithCancel(ctx)
	defer cancel()
	gone := func() {}
	if attached {
		gone = cancel
	}
	answers := json.NewEncoder(out)
	tasks := linesOf(in, gone)
	for {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(idle):
			return nil
		case line, more := <-tasks:
			if !more {
				return nil
			}
			err := doTask(asked, s, line)
			if asked.Err() != nil {
				return ctx.Err()
			}
			if err := answers.Encode(g.answerOf(err)); err != nil {
				return err
			}
		}
	}
}

// linesOf sends the lines of in. At its end it calls ended at once, be the lines taken or not.
func linesOf(in io.Reader, ended func()) <-chan string {
	lines := make(chan string, 16)
	go func() {
		defer close(lines)
		defer ended()
		for scan := bufio.NewScanner(in); scan.Scan(); {
			lines <- scan.Text()
		}
	}()
	return lines
}

func doTask(ctx context.Context, s *shards.Run, line string) error {
	task, err := shards.ParseTask(strings.Fields(line))
	if err != nil {
		return usageError{err}
	}
	return s.Do(ctx, task)
}

// answer tells how a task ended.
type answer struct {
	Code int    `json:"code"`
	Said string `json:"said"`
}

func (g *globals) answerOf(err error) answer {
	if err == nil {
		return answer{}
	}
	return answer{exitCode(err), "knng: " + harmless(g.plain(err), "\n\t")}
}
