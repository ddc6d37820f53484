package copies

import (
	"fmt"

	"github.com/knng/knng/store"
)

// Keep and Collapse are the treatments of identical rows.
const (
	Keep     = "keep"
	Collapse = "collapse"
)

// option is the name of the treatment among the options of a manifest.
const option = "duplicates"

// Option is the treatment of identical rows as a manifest names it, with the most rows of one group
// in a list; 0: any number.
func Option(treatment string, most int) store.Option {
	if most > 0 {
		treatment = fmt.Sprintf("%s to %d", treatment, most)
	}
	return store.Option{Name: option, Value: treatment}
}

// Most is the most rows of one group in a list of a store; 0: any number.
func Most(m store.Manifest) (most int) {
	for _, o := range m.Options {
		if o.Name == option {
			fmt.Sscanf(o.Value, Collapse+" to %d", &most) // else it stays 0
		}
	}
	return most
}
