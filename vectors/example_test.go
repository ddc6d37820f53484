package vectors_test

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/knng/knng/vectors"
)

func Example() {
	dir, _ := os.MkdirTemp("", "vectors")
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "colours.npy")

	w, err := vectors.Create(path, vectors.Uint8, 3)
	if err != nil {
		fmt.Println(err)
		return
	}
	w.AppendFloat32([]float32{255, 0, 0}, "red")
	w.AppendFloat32([]float32{255, 165, 0}, "orange")
	w.Close()

	in, err := vectors.Open([]string{path}, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer in.Close()
	row := make([]byte, 3)
	in.ReadRows(1, row)
	fmt.Println(in.Len(), "rows of", in.Dim(), in.Type(), "- row 1 is", row)
	// Output: 2 rows of 3 uint8 - row 1 is [255 165 0]
}
