package cache_test

import (
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/knng/knng/cache"
)

// Places 0 and 1 shared leaf 7 of the first division, 1 and 2 leaf 4 of the
// second.
func ExampleSharedLeaf() {
	c := cache.NewSharedLeaf(3)
	c.Add([]uint32{7, 7, 8})
	c.Add([]uint32{3, 4, 4})
	var b cache.Bitmap
	fmt.Println(c.Seen([]uint32{0, 1, 2}, &b), "of 3 pairs seen")
	fmt.Println("0 and 2 seen:", b.Bits[0*b.Words]>>2&1 == 1)
	// Output:
	// 2 of 3 pairs seen
	// 0 and 2 seen: false
}

// What was asked before is not evaluated again, by either row's name.
func ExamplePairs_Keys() {
	dir, err := os.MkdirTemp("", "pairs")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	p, err := cache.OpenPairs(filepath.Join(dir, "pairs"), "difference", 1, 1<<20)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer p.Close()
	rows := []uint32{10, 13, 17} // of places 0, 1 and 2
	keys := p.Keys(rows, time.Millisecond, func(x uint32, ids []uint32, out []float32) (int, error) {
		for i, id := range ids {
			out[i] = max(float32(rows[x])-float32(rows[id]), float32(rows[id])-float32(rows[x]))
		}
		return len(ids), nil
	})
	out := make([]float32, 2)
	evaluated, err := keys(0, []uint32{1, 2}, out)
	fmt.Println(out, evaluated, err)
	evaluated, err = keys(1, []uint32{0, 2}, out)
	fmt.Println(out, evaluated, err)
	// Output:
	// [3 7] 2 <nil>
	// [3 4] 1 <nil>
}
