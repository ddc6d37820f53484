// Package plan predicts the cost of a build: its passes over the data, the bytes that each
// reads, writes and holds, and, where the speed of the machine is known, how long it
// runs. It is arithmetic on counts alone, a [Shape]; package builder knows the counts,
// measures the [Rates], and compares the plan with the build.
//
// A plan decides nothing in a build: the graph does not depend on predictions.
package plan
