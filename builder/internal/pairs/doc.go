// Package pairs computes keys under a distance of the user's own, and decides whether pairs that
// were computed before are skipped or looked up. Neither changes a graph: the decisions rest on
// measured times and may differ from run to run.
package pairs
