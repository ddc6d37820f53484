package living

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/knng/knng/builder"
	"github.com/knng/knng/builder/rebuild"
	"github.com/knng/knng/store"
	"github.com/knng/knng/store/living"
)

// RunRaise builds graphs of all rows at the recall of c and at a higher one, and compacts the first
// for the higher one.
func (c Config) RunRaise(ctx context.Context, higher float64, log io.Writer, tell func(MergePoint)) error {
	if err := os.MkdirAll(c.Work, 0o777); err != nil {
		return err
	}
	n, err := c.rows()
	if err != nil {
		return err
	}
	high := c
	high.Recall = higher
	lower, whole := c.path("raised"), c.path("higher")
	if err := errors.Join(os.RemoveAll(lower), os.RemoveAll(whole)); err != nil {
		return err
	}
	for _, one := range []struct {
		c   Config
		dir string
	}{{c, lower}, {high, whole}} {
		result, err := one.c.buildRows(ctx, one.dir, 0, n)
		if err != nil {
			return err
		}
		tell(pointOf(fmt.Sprintf("built at %v", one.c.Recall), result))
	}
	return c.raise(ctx, lower, higher, log, tell)
}

// raise compacts the store in dir.
func (c Config) raise(ctx context.Context, dir string, higher float64, log io.Writer, tell func(MergePoint)) error {
	db, err := living.Open(dir, nil)
	if err != nil {
		return err
	}
	defer db.Close()
	began := time.Now()
	if err := rebuild.Compact(ctx, db, rebuild.Options{Recall: higher, Progress: notes(log)}); err != nil && !errors.Is(err, builder.ErrBelowTarget) {
		return err
	}
	took := time.Since(began)
	v, err := db.View()
	if err != nil {
		return err
	}
	defer v.Close()
	result := new(builder.Result)
	if err := store.ReadResult(v.Base().Dir(), result); err != nil {
		return err
	}
	p := pointOf(fmt.Sprintf("compacted from %v to %v", c.Recall, higher), result)
	p.Seconds = took.Seconds()
	p.Recall, err = rebuild.Recall(ctx, v, 500, 1, 2)
	tell(p)
	return err
}

// notes writes the messages of a build.
func notes(log io.Writer) func(builder.Event) {
	return func(e builder.Event) {
		if e.Message != "" {
			fmt.Fprintln(log, e.Message)
		}
	}
}
