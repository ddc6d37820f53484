package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"syscall"

	"github.com/knng/knng/builder"
	"github.com/knng/knng/builder/rebuild"
	"github.com/knng/knng/builder/recall"
	"github.com/knng/knng/builder/shards"
	"github.com/knng/knng/cmd/interrupt"
	"github.com/knng/knng/cmd/knng/internal/gofuncs"
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
       no file of that format, an input or a graph that is not there, a graph
       that is unfinished or that the command does not take, a folder or an
       address given as a file, a file given as a folder or a graph, an output
       that is there already and is not overwritten, a recall that tasks of many
       machines do not reach
  3    no space, the limit on the size of files (ulimit -f) is reached, or the
       memory limit is below the minimum: given again, build, refine, demo,
       merge and compact continue, other commands begin anew; append and delete
       may have written all, as stderr then says
  4    finished below the recall asked for: the graph is kept and can be used;
       stderr names remedies. Given again, build, refine and merge exit with 4
       again; append and delete have written all, and are not given again
  5    another process holds the directory: one that builds, appends, deletes
       or compacts there
  6    the data given are refused: a file that is damaged or of no known format,
       rows of other lengths, rows with NaN, values that the type asked for does
       not hold, bad ids, a row, an id or a record that is not in the graph,
       graphs to merge that do not fit; stderr names the file and the row
  129  stopped by SIGHUP (the terminal closed): given again, the command
       continues or begins anew, as after 3, unless stderr says otherwise
  130  stopped by SIGINT (Ctrl-C), likewise; explore, which serves until it is
       stopped, exits with 0 then
  143  stopped by SIGTERM, likewise`

// usageError marks errors of the command line, for the exit code.
type usageError struct{ error }

func (e usageError) Unwrap() error { return e.error }

// errSilent ends with exitFailed where the output has said everything.
var errSilent = errors.New("failed")

// exits are the exit codes of errors that packages name: that of the first line with such an error. Damage comes first, as
// a damaged file may show itself by any other error. Where a package names no error, the command marks it: as a usageError,
// or by vectors.Refused as one of the data given, which leaves errors of the system as they are.
var exits = []struct {
	code   int
	errors []error
}{
	{exitFailed, []error{store.ErrCorrupt}},
	{exitUsage, []error{
		store.ErrNotStore, store.ErrNotFinished, store.ErrFormat, store.ErrMismatch, store.ErrKey, store.ErrSparse, store.ErrNoReverse,
		living.ErrOffsets, living.ErrWithin, errLiving, store.ErrLiving, search.ErrOwnDistance, builder.ErrOwnDistance,
		builder.ErrReference, builder.ErrMethod, shards.ErrVersion, shards.ErrNotRun, shards.ErrUnfinished, shards.ErrTask, shards.ErrReach, vectors.ErrUsage, gofuncs.ErrNone, fs.ErrExist, syscall.EISDIR, syscall.ENOTDIR,
	}},
	{exitResumable, []error{builder.ErrSpace, store.ErrSpace, syscall.ENOSPC, syscall.EDQUOT, syscall.EFBIG, builder.ErrMemory, store.ErrMemory}},
	{exitLocked, []error{store.ErrLocked, living.ErrLocked}},
	{exitShort, []error{builder.ErrBelowTarget}},
	{exitRefused, []error{
		builder.ErrBadRows, vectors.ErrRows, store.ErrIDs, store.ErrNoID, store.ErrNoRow, store.ErrNoRecord, search.ErrQuery,
		sparsesearch.ErrQuery, living.ErrVector, living.ErrID, rebuild.ErrMerge, recall.ErrScale, errNumber,
	}},
}

// absent marks the error of an input that is not there as a usageError. Other files may be gone for a while only: a
// task of many machines that misses one is tried again.
func absent(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return usageError{err}
	}
	return err
}

func exitCode(err error) int {
	var usage usageError
	var option *builder.OptionError
	switch {
	case err == nil:
		return exitDone
	case errors.As(err, &usage), errors.As(err, &option):
		return exitUsage
	}
	for _, exit := range exits {
		if slices.ContainsFunc(exit.errors, func(kind error) bool { return errors.Is(err, kind) }) {
			return exit.code
		}
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
