package builder_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"

	"github.com/knng/knng/builder"
	"github.com/knng/knng/store"
	"github.com/knng/knng/vectors"
)

// Rows and ids of a program, without a file: rows by a function, ids by an iterator.
func ExampleBuild_ownRows() {
	dir, _ := os.MkdirTemp("", "builder")
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "colours.knng")
	names := []string{"red", "orange", "blue", "navy"}
	colours := [][3]float32{{255, 0, 0}, {255, 165, 0}, {0, 0, 255}, {0, 0, 128}}
	rows, err := vectors.FromFunc(len(colours), 3, func(i int, dst []float32) error {
		copy(dst, colours[i][:]) // or a row of a database
		return nil
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	if _, err := builder.Build(context.Background(), path, vectors.NewInput(rows), builder.Options{K: 1, Names: slices.Values(names)}); err != nil {
		fmt.Println(err)
		return
	}
	g, err := store.Open(path, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer g.Close()
	row, _ := g.RowOf("navy")
	list, _ := g.Neighbors(row, nil)
	fmt.Println(g.ID(list[0].Row))
	// Output: blue <nil>
}

// Progress is told how far the whole build is. A build whose context ends stops at the
// next safe point, and the same call goes on from there.
func ExampleBuild_progress() {
	dir, _ := os.MkdirTemp("", "builder")
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "g.knng")
	points := make([]float32, 2000)
	for i := range points {
		points[i] = float32(i)
	}
	rows, _ := vectors.FromFloat32(points, 1)
	screen := io.Discard // or os.Stderr
	ctx, cancel := context.WithCancel(context.Background())
	options := builder.Options{K: 5, Progress: func(e builder.Event) {
		fmt.Fprintf(screen, "%s: %d of %d %s; %.0f %% of all, %v left\n", e.Phase, e.Done, e.Total, e.Unit, 100*e.Share, e.Left)
		cancel() // as a signal would
	}}
	_, err := builder.Build(ctx, path, vectors.NewInput(rows), options)
	fmt.Println("stopped:", errors.Is(err, context.Canceled))

	options.Progress = nil
	result, err := builder.Build(context.Background(), path, vectors.NewInput(rows), options)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(result.Rows, "rows")
	// Output:
	// stopped: true
	// 2000 rows
}

// A graph of changing data is built anew, say each night, under a name of its own. Readers
// open the newest by a symbolic link that is replaced in one step; who has the old graph
// open reads on in it until it is closed.
func ExampleBuild_everyNight() {
	dir, _ := os.MkdirTemp("", "builder")
	defer os.RemoveAll(dir)
	current := filepath.Join(dir, "current")
	night := func(name string, points ...float32) error {
		rows, err := vectors.FromFloat32(points, 1)
		if err != nil {
			return err
		}
		_, err = builder.Build(context.Background(), filepath.Join(dir, name), vectors.NewInput(rows), builder.Options{K: 1})
		if err != nil && !errors.Is(err, store.ErrFinished) { // the same night again: it goes on, or is done
			return err
		}
		link := current + ".new"
		if err := os.Symlink(name, link); err != nil {
			return err
		}
		return os.Rename(link, current)
	}
	if err := night("monday.knng", 0, 1, 3, 7); err != nil {
		fmt.Println(err)
		return
	}
	reader, err := store.Open(current, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer reader.Close()
	if err := night("tuesday.knng", 0, 6, 3, 7, 8); err != nil {
		fmt.Println(err)
		return
	}
	newer, err := store.Open(current, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer newer.Close()
	old, _ := reader.Neighbors(0, nil)
	now, _ := newer.Neighbors(0, nil)
	fmt.Println("monday:", old, "tuesday:", now)
	// Output: monday: [{1 1}] tuesday: [{2 3}]
}
