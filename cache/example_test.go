package cache_test

import (
	"fmt"

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
