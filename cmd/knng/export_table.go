package main

import (
	"bufio"
	"context"
	"fmt"
	"io"

	"github.com/knng/knng/cmd/knng/internal/parquet"
	"github.com/knng/knng/store/export"
	"github.com/knng/knng/vectors/aside"
)

// tableFormat is Parquet, which only the command writes: its library is not linked by
// programs that export.
const tableFormat export.Format = "parquet"

// table writes the graph as a Parquet file, whole or not at all.
func (e *exportFlags) table(ctx context.Context, g parquet.Graph) error {
	if err := export.Vacant(e.out, e.opts.Force, false); err != nil {
		return err
	}
	f, err := aside.Create(e.out)
	if err != nil {
		return fmt.Errorf("export: %w", err)
	}
	defer f.Abort()
	w := bufio.NewWriterSize(untilDone{f, ctx}, 1<<20)
	if err := parquet.Write(w, g); err != nil {
		return fmt.Errorf("export: %w", err)
	}
	if err := w.Flush(); err != nil {
		return fmt.Errorf("export: %w", err)
	}
	if err := f.Commit(); err != nil {
		return fmt.Errorf("export: %w", err)
	}
	return nil
}

// untilDone is a writer that ends with a context.
type untilDone struct {
	io.Writer
	ctx context.Context
}

func (u untilDone) Write(p []byte) (int, error) {
	if err := u.ctx.Err(); err != nil {
		return 0, err
	}
	return u.Writer.Write(p)
}
