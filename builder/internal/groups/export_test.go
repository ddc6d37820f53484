package groups

import "slices"

// Largest is the rows of the largest leaf.
func (l *Leaves) Largest() int { return int(slices.Max(l.leafSizes())) }
