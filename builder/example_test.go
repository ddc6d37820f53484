package builder_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/knng/knng/builder"
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
