package builder_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/knng/knng/builder"
	"github.com/knng/knng/store"
	"github.com/knng/knng/vectors"
	"github.com/knng/knng/vectors/distance"
)

func ExampleBuild() {
	dir, _ := os.MkdirTemp("", "builder")
	defer os.RemoveAll(dir)
	rows, _ := vectors.FromFloat32([]float32{
		1, 0,
		2, 0.1,
		0, 1,
		0.1, 3,
	}, 2)
	result, err := builder.Build(context.Background(), filepath.Join(dir, "g.knng"), vectors.NewInput(rows),
		builder.Options{K: 1, Metric: distance.Cosine})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(result.Rows, "rows,", result.Stop)
	// Output: 4 rows, all pairs compared
}

// A build is given again until it says that it is done: after an interruption it goes
// on, and of a finished one it returns what was reported.
func ExampleBuild_again() {
	dir, _ := os.MkdirTemp("", "builder")
	defer os.RemoveAll(dir)
	rows, _ := vectors.FromFloat32([]float32{0, 1, 3, 7}, 1)
	for range 2 {
		result, err := builder.Build(context.Background(), filepath.Join(dir, "g.knng"), vectors.NewInput(rows), builder.Options{K: 2})
		if err != nil && !errors.Is(err, store.ErrFinished) {
			fmt.Println(err)
			return
		}
		fmt.Println(result.Rows, "rows; built before:", errors.Is(err, store.ErrFinished))
	}
	// Output:
	// 4 rows; built before: false
	// 4 rows; built before: true
}

// A distance of one's own: of times of day, 23:00 is near 1:00. The vectors are coarse
// features for the divisions.
func ExampleBuild_ownDistance() {
	dir, _ := os.MkdirTemp("", "builder")
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "g.knng")
	hours := []float32{1, 4, 9, 12, 23}
	rows, _ := vectors.FromFloat32(hours, 1)
	around := builder.Distance{Name: "hours", Version: 1, Key: func(a, b store.Row) (float32, error) {
		apart := max(hours[a]-hours[b], hours[b]-hours[a])
		return min(apart, 24-apart), nil
	}}
	if _, err := builder.Build(context.Background(), path, vectors.NewInput(rows), builder.Options{K: 2, Distance: &around}); err != nil {
		fmt.Println(err)
		return
	}
	g, err := store.Open(path, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer g.Close()
	list, err := g.Neighbors(4, nil) // of 23:00
	fmt.Println(list, err)
	// Output: [{0 2} {1 5}] <nil>
}
