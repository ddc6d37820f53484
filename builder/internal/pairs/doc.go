// Package pairs computes keys under the user's own distance, and decides whether computed pairs are skipped
// or looked up. Neither changes a graph: the decisions depend on measured times and may differ from run to
// run.
package pairs
