package plot_test

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/knng/knng/bench/plot"
)

func Example() {
	dir, err := os.MkdirTemp("", "plot-")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	curve := plot.Line{Name: "divisions alone", Points: []plot.XY{{X: 1, Y: 0.4}, {X: 10, Y: 0.9}}}
	err = plot.Save(filepath.Join(dir, "accuracy"), []plot.Panel{{Title: "k = 20", X: "seconds", Y: "accuracy", LogX: true, Lines: []plot.Line{curve}}})
	fmt.Println(err)
	// Output: <nil>
}
