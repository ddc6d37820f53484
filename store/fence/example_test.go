package fence_test

import (
	"fmt"
	"os"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/knng/knng/store/fence"
)

func Example() {
	dir, err := os.MkdirTemp("", "fence")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(dir)
	db, err := fence.Open(dir, &pebble.Options{FS: vfs.Default}, nil)
	if err != nil {
		fmt.Println("not opened:", err)
		return
	}
	// On a full disk this returns an error; Pebble alone would end the process.
	err = db.Do(func() error { return db.Pebble.Set([]byte("key"), []byte("value"), pebble.Sync) })
	fmt.Println(err, db.Close())
	// Output: <nil> <nil>
}
