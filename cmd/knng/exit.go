package main

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/knng/knng/builder"
	"github.com/knng/knng/builder/rebuild"
	"github.com/knng/knng/cmd/interrupt"
	"github.com/knng/knng/store"
	"github.com/knng/knng/store/living"
	"github.com/knng/knng/store/search"
	"github.com/knng/knng/store/sparsesearch"
	"github.com/knng/knng/vectors"
)

// Exit codes; see "knng help exit-codes".
const (
	exitDone        = 0
	exitFailed      = 1
	exitUsage       = 2
	exitResumable   = 3
	exitShort       = 4
	exitLocked      = 5
	exitRefused     = 6
	exitHungUp      = interrupt.HungUp
	exitInterrupted = interrupt.Interrupted
	exitTerminated  = interrupt.Terminated
)

const exitHelp = `Exit codes:
  0    done, or already finished
  1    failed, or check found damage
  2    wrong usage, options that contradict the build in the directory or suit
       no file of that format, a graph that the command does not take, a folder
       or an address given as a file, a file given as a graph, an output that is
       there already and is not overwritten
  3    no space, or the memory limit is below the minimum: given again, build,
       refine, demo, merge and compact continue, other commands begin anew;
       append and delete may have written all, as stderr then says
  4    finished below the recall asked for: the graph is kept and can be used;
       stderr names remedies. Given again, build, refine and merge exit with 4
       again; append and delete have written all, and are not given again
  5    another process holds the directory: one that builds, appends, deletes
       or compacts there
  6    the data given are refused: a file that is damaged or of no known format,
       rows of other lengths, rows with NaN, bad ids, a row or an id that is
       not in the graph, graphs to merge that do not fit; stderr names the
       file and the row
  129  stopped by SIGHUP (the terminal closed): given again, the command
       continues or begins anew, as after 3, unless stderr says otherwise
  130  stopped by SIGINT (Ctrl-C), likewise
  143  stopped by SIGTERM, likewise`

// usageError marks errors of the command line, for the exit code.
type usageError struct{ error }

func (e usageError) Unwrap() error { return e.error }

// errSilent ends with exitFailed where the output has said everything.
var errSilent = errors.New("failed")

// refusals are errors of the data given, not of the command or of the machine.
var refusals = []error{builder.ErrBadRows, vectors.ErrRows, store.ErrIDs, store.ErrNoID, store.ErrNoRow, search.ErrQuery, sparsesearch.ErrQuery,
	living.ErrVector, living.ErrID, rebuild.ErrMerge}

func exitCode(err error) int {
	var usage usageError
	switch {
	case err == nil:
		return exitDone
	case errors.As(err, &usage), errors.Is(err, store.ErrMismatch), errors.Is(err, store.ErrKey), errors.Is(err, store.ErrNotFolder), errors.Is(err, store.ErrSparse), errors.Is(err, builder.ErrReference),
		errors.Is(err, vectors.ErrUsage), errors.Is(err, errLiving), errors.Is(err, store.ErrLiving), errors.Is(err, living.ErrOffsets):
		return exitUsage
	case errors.Is(err, builder.ErrSpace), store.NoSpace(err), errors.Is(err, builder.ErrMemory), errors.Is(err, store.ErrMemory):
		return exitResumable
	case errors.Is(err, store.ErrLocked), errors.Is(err, living.ErrLocked):
		return exitLocked
	case errors.Is(err, builder.ErrBelowTarget):
		return exitShort
	case slices.ContainsFunc(refusals, func(refusal error) bool { return errors.Is(err, refusal) }):
		return exitRefused
	}
	return exitFailed
}

// end ends a command that makes a graph in dir: it says how that went and shows
// the result, made now or by an earlier run.
func (g *globals) end(dir string, err error, show func() error) error {
	if errors.Is(err, store.ErrFinished) {
		g.say("%s is already finished", dir)
	} else if err != nil {
		return g.stopped(err)
	}
	if g.quiet && !g.json {
		return nil
	}
	return show()
}

// stopped returns the error that a command stopped with, having named the way on
// where it was interrupted.
func (g *globals) stopped(err error) error {
	if errors.Is(err, context.Canceled) {
		g.behindBar("interrupted: give the same command again to continue")
	}
	return err
}

// behindBar prints a line on stderr behind a bar, also where nothing else is said.
func (g *globals) behindBar(line string) {
	if g.progress == "json" {
		g.say("%s", line)
	} else {
		fmt.Fprintf(g.stderr, "\n%s\n", line)
	}
}

// say has a line told as progress is.
func (g *globals) say(format string, a ...any) {
	g.phases().Say(format, g.plainErrors(a)...)
}
