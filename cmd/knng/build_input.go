package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"golang.org/x/term"

	"github.com/knng/knng/store"
	"github.com/knng/knng/vectors"
)

// suits refuses rows that the flags are not meant for.
func (b *buildFlags) suits(in *vectors.Input) error {
	if b.bits && in.Type() != vectors.Uint8 {
		return usageError{fmt.Errorf("--bits: the rows are %v, and packed bits are uint8: pack rows of 0 and 1 by numpy.packbits(x, axis=1)", in.Type())}
	}
	return nil
}

// open opens the input, unless the build there has its own copy of the rows. Rows of
// streams are put beside the store, until they are written in its order.
func (b *buildFlags) open(ctx context.Context, g *globals, inputs []string) (*vectors.Input, error) {
	in, err := store.InputOf(b.out, inputs, b.limit)
	if err != nil {
		return nil, err
	}
	stdin := slices.Contains(inputs, "-")
	if in != nil && b.idColumn == "" && b.header.value == nil && in.Files[0].Column == b.column {
		if stdin {
			return in, b.sameStdin(ctx, g, in)
		}
		return in, nil
	}
	state, err := vacant(b.out)
	if err != nil {
		return nil, err
	}
	if b.opts.IDs != "" { // to say so before the rows are read, not after
		if err := isText(os.Stat(b.opts.IDs)); err != nil {
			return nil, absent(fmt.Errorf("--ids: %w", err))
		}
	}
	scratch := b.opts.Scratch
	if scratch == "" {
		if scratch, err = store.ScratchOf(b.out); err != nil {
			return nil, err
		}
	}
	in, err = b.receive(ctx, g, inputs, scratch)
	if err != nil && stdin && state == store.Unfinished {
		err = fmt.Errorf("%w (the build in %s stopped before it had written its rows: give the same rows on stdin again)", err, b.out)
	}
	return in, err
}

// receive opens the input, and puts the ids that stand in it beside it.
func (b *buildFlags) receive(ctx context.Context, g *globals, inputs []string, scratch string) (*vectors.Input, error) {
	opts := vectors.OpenOptions{Limit: b.limit, Scratch: scratch, Once: true, Column: b.column, IDColumn: b.idColumn, Header: b.header.value}
	if b.idColumn == "" {
		return g.openInput(ctx, inputs, opts)
	}
	if err := os.MkdirAll(scratch, 0o777); err != nil {
		return nil, err
	}
	f, err := os.CreateTemp(scratch, vectors.ReceivedPattern)
	if err != nil {
		return nil, err
	}
	ids := bufio.NewWriter(f)
	opts.IDs, b.opts.IDs = ids, f.Name()
	b.opts.IDsName = fmt.Sprintf("the ids in column %s of %s", b.idColumn, strings.Join(inputs, ", "))
	in, err := g.openInput(ctx, inputs, opts)
	if err == nil {
		err = ids.Flush()
	}
	return in, errors.Join(err, f.Close())
}

// sameStdin compares the rows on stdin with those that the build in the directory was made of:
// other rows are refused as those of another file are. Nothing need come.
func (b *buildFlags) sameStdin(ctx context.Context, g *globals, in *vectors.Input) error {
	at := slices.IndexFunc(in.Files, func(f vectors.File) bool { return f.Path == "-" })
	if at < 0 || term.IsTerminal(int(os.Stdin.Fd())) {
		return nil
	}
	empty, err := in.Files[at].Again(ctx, os.Stdin)
	switch {
	case err != nil && ctx.Err() != nil:
		return ctx.Err()
	case err != nil:
		return usageError{fmt.Errorf("%s has the rows of another stream (%w): give those again, or another directory", b.out, err)}
	case empty:
		g.say("%s has the rows of stdin already, and nothing comes there", b.out)
	default:
		g.say("%s has the rows of stdin already", b.out)
	}
	return nil
}

// vacant is the state of a directory that a store is to be made in. One of other files is
// refused before rows are received, not after.
func vacant(dir string) (store.State, error) {
	state, err := store.StateOf(dir)
	if err == nil && state == store.Other {
		err = fmt.Errorf("%w: %s has other files in it", store.ErrNotStore, dir)
	}
	return state, err
}
