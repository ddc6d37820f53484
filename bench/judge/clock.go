package judge

import (
	"slices"

	"github.com/knng/knng/builder"
)

// ToLists reports whether a phase of a build belongs to the clock from rows in memory to
// lists in memory. Folds of the parts method stand between its divisions and make lists;
// those of the others lie within phases that count, and are not counted again.
func ToLists(method builder.Method, phase string) bool {
	if phase == "fold" {
		return method == builder.Parts
	}
	return !slices.Contains([]string{"adjacency", "checksum", "recall", "seal"}, phase)
}
