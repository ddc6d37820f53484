package progress_test

import (
	"fmt"

	"github.com/knng/knng/builder/progress"
)

func Example() {
	var spent []progress.PhaseSeconds
	r := progress.Reporter{Spent: &spent, Tell: func(e progress.Event) {
		fmt.Printf("%s: %d of %d %s %q\n", e.Phase, e.Done, e.Total, e.Unit, e.Message)
	}}
	p := r.Begin("copy", "rows", 100)
	p.Add(100)
	p.End("%d rows copied", 100)
	fmt.Println(len(spent), spent[0].Name)
	// Output:
	// copy: 0 of 100 rows ""
	// copy: 100 of 100 rows ""
	// copy: 100 of 100 rows "100 rows copied"
	// 1 copy
}
