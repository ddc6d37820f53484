package plan_test

import (
	"fmt"

	"github.com/knng/knng/builder/plan"
)

func ExampleOf() {
	s := plan.Shape{
		Method: "balls", Kind: plan.Balls, Rows: 1_000_000, Outputs: 1_000_000, Dim: 128, RowBytes: 128, CodeBytes: 8, ViewCodes: true, KeyCodes: true,
		K: 20, Slack: 8, LeafSize: 500, Overlap: 4, Divisions: 16, Rounds: 1, Threads: 8,
	}
	p := plan.Of(s, plan.Nominal(s, 1))
	fmt.Println(p.Course())
	fmt.Println(p.PeakAnonBytes>>20, "MiB of memory")
	// Output:
	// method balls, 1000000 rows of 128, k=20: each row in 16 balls, 1 rounds
	// 333 MiB of memory
}
