package shards

import (
	"errors"

	"github.com/knng/knng/builder/internal/pieces"
)

// Errors that a program can test with errors.Is, beside those of package builder: ErrBadRows of settle, ErrMemory and ErrSpace of
// Do and Unite, ErrReference and OptionError of Begin. Inputs and options that tasks do not take are vectors.ErrUsage. A task
// whose inputs are not made yet, or whose rows are gone, is fs.ErrNotExist.
var (
	// ErrVersion: a program of another version began the run.
	ErrVersion = errors.New("builder: another version of knng began this run")
	// ErrNotRun: the folder is none that Begin returned.
	ErrNotRun = errors.New("builder: not a run of a build by many machines")
	// ErrUnfinished: the run has tasks that are not done.
	ErrUnfinished = errors.New("builder: the run is not finished")
	// ErrTask: there is no such task in the run.
	ErrTask = errors.New("builder: no such task")
	// ErrReach: tasks do not reach the recall asked for, however often they are tried.
	ErrReach = errors.New("builder: the recall asked for is out of reach")
	// ErrDamaged: a file of the run is not as it was written. Without it, its task is done again.
	ErrDamaged = pieces.ErrDamaged
)
