package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"

	"github.com/spf13/cobra"

	"github.com/knng/knng/vectors"
)

const convertHelp = `Convert a vector file into another format or element type.

  knng convert rows.fvecs -o rows.npy
  knng convert rows.npy -o half.npy --type float16
  knng convert big.u8bin -o first.bvecs --limit-rows 100000

It reads all formats that build reads, and writes these:

  .npy             uint8, int8, float16 or float32
  .fvecs .fbin     float32, which wants --type float32 for rows of another type
  .bvecs .u8bin    uint8, likewise
  .i8bin           int8, likewise

A value that the new type cannot hold is an error that names row and column: uint8 and
int8 hold whole numbers, to which --round rounds others. Compressed inputs (.gz, .zst)
and stdin are first unpacked in the system's folder for temporary files.`

type convertFlags struct {
	out   string
	typ   string
	limit int
	round bool

	columns columns
}

func newConvert(g *globals) *cobra.Command {
	v := new(convertFlags)
	c := &cobra.Command{
		Use: "convert INPUT... -o OUT", Short: "Convert vector files", Long: convertHelp,
		Args: args(cobra.MinimumNArgs(1)),
		RunE: func(c *cobra.Command, inputs []string) error { return v.run(c.Context(), g, inputs) },
	}
	c.Flags().StringVarP(&v.out, "output", "o", "", "file to write; its extension names the format")
	c.Flags().StringVar(&v.typ, "type", "", "float32, float16, uint8 or int8 (default the input's)")
	v.columns.bind(c.Flags())
	c.Flags().BoolVar(&v.round, "round", false, "round to whole numbers for uint8 and int8")
	c.Flags().IntVar(&v.limit, "limit-rows", 0, "convert only the first N rows (default all)")
	requireOutput(c)
	return c
}

func (v *convertFlags) run(ctx context.Context, g *globals, inputs []string) (err error) {
	if v.limit < 0 {
		return usageError{fmt.Errorf("--limit-rows is %d, want 0 or more", v.limit)}
	}
	if err := noFile(v.out); err != nil {
		return err
	}
	o := v.columns.options()
	o.Limit = v.limit
	in, err := g.openInput(ctx, inputs, o)
	if err != nil {
		return err
	}
	defer in.Close()
	typ := in.Type()
	if v.typ != "" {
		if typ, err = vectors.ParseType(v.typ); err != nil {
			return usageError{err}
		}
	}
	out, err := vectors.Create(v.out, typ, in.Dim())
	if errors.As(err, new(*fs.PathError)) {
		return err
	} else if err != nil {
		return usageError{err}
	}
	out.Round = v.round
	p := g.phases().Begin("convert", "rows", int64(in.Len()))
	err = vectors.Convert(out, interruptible{in, ctx}, p.Add)
	if err == nil {
		err = out.Close()
	}
	p.End("")
	if err != nil {
		return errors.Join(err, out.Abort())
	}
	if g.json {
		return g.printJSON(map[string]any{"path": v.out, "rows": out.Rows(), "dim": in.Dim(), "type": typ.String()})
	}
	if !g.quiet {
		fmt.Fprintf(g.stdout, "%s: %d rows of %d %s\n", v.out, out.Rows(), in.Dim(), typ)
	}
	return nil
}
