package capped_test

import (
	"context"
	"fmt"
	"log"

	"github.com/knng/knng/bench/capped"
)

// A build in half a gigabyte, page cache counted.
func ExampleConfig_Run() {
	c := capped.Config{
		Args:   []string{"knng", "build", "rows.u8bin", "-o", "rows.knng", "--memory", "400MiB", "--json", "--progress", "json"},
		Cap:    512 << 20,
		Cold:   true,
		Folder: "rows.knng",
	}
	o, err := c.Run(context.Background())
	if err != nil {
		log.Fatal(err)
	}
	if how, failed := o.Failed(); failed {
		log.Fatalf("%s: %s", how, o.Errors)
	}
	fmt.Println(o.PeakAnon, o.PeakUsage, o.ReadBytes)
}
