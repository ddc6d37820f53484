// Package solve turns groups of leaves into lists, for the parts method on one machine and for the tasks of a
// distributed build. A [Solver] compares all pairs of every leaf of a group, a [Note] keeps a group's lists
// for the steering rows, and a [Stripe] merges the lists that groups found for a range of places.
package solve
