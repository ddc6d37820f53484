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

// option is the name of the treatment in the options of a manifest.
const option = "duplicates"

// Option returns the treatment of identical rows in the form of a manifest, with the most rows of one group
// in a list; 0: any number.
func Option(treatment string, most int) store.Option {
	if most > 0 {
		treatment = fmt.Sprintf("%s to %d", treatment, most)
	}
	return store.Option{Name: option, Value: treatment}
}

// Most returns the most rows of one group in a list of a store; 0: any number.
func Most(m store.Manifest) (most int) {
	for _, o := range m.Options {
		if o.Name == option {
			fmt.Sscanf(o.Value, Collapse+" to %d", &most) // otherwise it stays 0
		}
	}
	return most
}
