// Package plan predicts what a build will take: its passes over the data, what each
// reads, writes and holds, and, where the speed of the machine is known, how long it
// runs. It is arithmetic on counts alone, a [Shape]; package builder knows the counts,
// measures the [Rates], and holds the plan against what happened.
//
// Nothing in a build is decided by a plan: a graph is the same whatever was predicted.
package plan
