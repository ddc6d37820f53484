package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/knng/knng/cmd/knng/internal/parquet"
	"github.com/knng/knng/vectors"
	"github.com/knng/knng/vectors/sparse"
)

// isFile reports whether a path is a file: graphs are directories.
func isFile(path string) bool {
	info, err := os.Stat(path)
	return err == nil && !info.IsDir()
}

// rowsInfo describes a file of rows, and names the command that builds their graph. column is as in build.
func rowsInfo(ctx context.Context, g *globals, path, column string) error {
	matrix := sparse.Is(path)
	if matrix && column != "" {
		return usageError{errNoColumns}
	}
	rows, dim, of, err := rowsOf(ctx, g, path, column)
	if err != nil {
		return fmt.Errorf("%s is a file, not the directory of a graph, and its rows cannot be read: %w", oneLine(path), err)
	}
	info, err := os.Stat(path)
	if err != nil {
		return err
	}
	base := strings.TrimSuffix(filepath.Base(path), filepath.Ext(path))
	flags := ""
	if matrix {
		flags = " --metric cosine" // that of build without it is not for sparse rows
	}
	if column != "" {
		flags = " --column " + quoted(column)
	}
	build := fmt.Sprintf("knng build %s -o %s%s", operand(path), operand(base+".knng"), flags)
	plan := fmt.Sprintf("knng plan %s%s", operand(path), flags)
	if g.json {
		object := map[string]any{"path": path, "graph": false, "dim": dim, "type": of, "bytes": info.Size(), "build": build}
		if rows > 0 {
			object["rows"] = rows
		}
		return g.printJSON(object)
	}
	count := "rows"
	if rows > 0 {
		count = fmt.Sprintf("%d rows", rows)
	}
	fmt.Fprintf(g.stdout, "%s: a file of %s, no graph\n", oneLine(path), count)
	fmt.Fprintf(g.stdout, "rows       %d elements each, read as %s; %s on disk\n", dim, of, size(info.Size()))
	fmt.Fprintf(g.stdout, "graph      \"%s\" builds one; \"%s\" says how long that takes\n", oneLine(build), oneLine(plan))
	return nil
}

// rowsOf reads of a file how many rows it has, their elements and their type. rows is 0 where only
// reading all of it would tell.
func rowsOf(ctx context.Context, g *globals, path, column string) (rows, dim int, of string, err error) {
	if sparse.Is(path) {
		src, err := sparse.Open(path, 0)
		if err != nil {
			return 0, 0, "", vectors.Refused(err)
		}
		defer src.Close()
		return src.Len(), src.Columns(), fmt.Sprintf("sparse float32 (%d values in all)", src.Nonzeros()), nil
	}
	packed := strings.EqualFold(filepath.Ext(path), ".parquet")
	o := vectors.OpenOptions{Column: column}
	if packed || vectors.Streamed(path) {
		o.Limit = 1 // more would be unpacked
	}
	in, err := g.openInput(ctx, []string{path}, o)
	if err != nil {
		return 0, 0, "", err
	}
	defer in.Close()
	if rows = in.Len(); o.Limit > 0 {
		rows = 0
	}
	if packed {
		p, err := parquet.Open(path, column)
		if err != nil {
			return 0, 0, "", err
		}
		defer p.Close()
		rows = p.Rows()
	}
	return rows, in.Dim(), in.Type().String(), nil
}
