package main

import (
	"bytes"
	"context"
	"io"

	"github.com/knng/knng/builder/progress"
	"github.com/knng/knng/store"
	"github.com/knng/knng/vectors"
)

// phases tell how far a command is.
func (g *globals) phases() progress.Reporter { return progress.Reporter{Tell: g.reporter()} }

// A watch tells how far the passes over a graph are, and stops them when the command is interrupted.
type watch struct {
	ctx   context.Context
	to    progress.Reporter
	phase string // the purpose of the next passes
}

// begin names the purpose of the next passes.
func (w *watch) begin(phase string) { w.phase = phase }

// watchEvery is how many lists are read before that is told.
const watchEvery = 8192

// listFunc takes the list of a row, as EachKeyed of a graph gives it.
type listFunc = func(row store.Row, neighbors []uint32, keys []float32) error

// pass is a pass of a graph of n rows, watched.
func (w *watch) pass(n int, each func(listFunc) error, fn listFunc) error {
	p := w.to.Begin(w.phase, "rows", int64(n))
	defer p.End("") // the next line must not stand behind a bar
	return each(func(row store.Row, neighbors []uint32, keys []float32) error {
		if row%watchEvery == 0 {
			if err := w.ctx.Err(); err != nil {
				return err
			}
			p.Add(min(int(row), watchEvery)) // those since the last time
		}
		return fn(row, neighbors, keys)
	})
}

// watched is a store whose passes are watched.
type watched struct {
	*store.Store
	watch
}

// EachKeyed is that of the store, watched.
func (w *watched) EachKeyed(fn listFunc) error {
	return w.pass(w.Len(), w.Under(w.ctx).EachKeyed, fn)
}

// steps are phases, one after the other, of which somebody else tells how much is done.
type steps struct {
	to          progress.Reporter
	name        string
	now         *progress.Phase // nil before the first
	done, total int64
}

func (s *steps) tell(name, unit string, done, total int64) {
	if s.now == nil || name != s.name || total != s.total || done < s.done { // or again
		s.end()
		s.name, s.now, s.done, s.total = name, s.to.Begin(name, unit, total), 0, total
	}
	s.now.Add(int(done - s.done))
	s.done = done
}

// end ends the last step, so that the next line does not stand behind a bar.
func (s *steps) end() {
	if s.now != nil {
		s.now.End("")
		s.now = nil
	}
}

// openInput opens vectors; streams tell how far they are, and stops when
// the command is interrupted.
func (g *globals) openInput(ctx context.Context, paths []string, opts vectors.OpenOptions) (*vectors.Input, error) {
	var p *progress.Phase // begun where there is a stream
	before := 0
	opts.Context, opts.Progress = ctx, func(rows int) {
		if p == nil {
			p = g.phases().Begin("receive", "rows", 0)
		}
		p.Add(rows - before)
		before = rows
	}
	paths, err := expand(paths)
	if err != nil {
		return nil, err
	}
	for _, path := range paths {
		if err := byPython(path); err != nil {
			return nil, vectors.Refused(err)
		}
	}
	opts.Formats = inputFormats
	if opts.Limit > 0 && opts.IDs != nil {
		opts.IDs = &firstLines{opts.IDs, opts.Limit}
	}
	in, err := vectors.Open(paths, &opts)
	if p != nil {
		p.End("")
	}
	return in, absent(err)
}

// openSuiting is openInput for rows of a graph's dimension.
func (g *globals) openSuiting(ctx context.Context, paths []string, opts vectors.OpenOptions, dim int) (*vectors.Input, error) {
	in, err := g.openInput(ctx, paths, opts)
	if err != nil {
		return nil, err
	}
	if err := suits(in, dim, paths); err != nil {
		in.Close()
		return nil, err
	}
	return in, nil
}

// interruptible is a source that reads no more when the command is interrupted.
type interruptible struct {
	vectors.Source
	ctx context.Context
}

func (s interruptible) ReadRows(first int, dst []byte) error {
	if err := s.ctx.Err(); err != nil {
		return err
	}
	return s.Source.ReadRows(first, dst)
}

// firstLines writes the first so many lines and drops the rest: a file of ids has those of
// rows that a limit leaves out.
type firstLines struct {
	w    io.Writer
	left int
}

func (f *firstLines) Write(p []byte) (int, error) {
	end := 0
	for end < len(p) && f.left > 0 {
		at := bytes.IndexByte(p[end:], '\n')
		if at < 0 {
			end = len(p)
			break
		}
		end += at + 1
		f.left--
	}
	if n, err := f.w.Write(p[:end]); err != nil {
		return n, err
	}
	return len(p), nil
}
