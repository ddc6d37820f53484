// Package solve turns groups of leaves into lists, for the parts method on one machine and for
// the tasks of many: a [Solver] compares all pairs of every leaf of a group, a [Note] keeps the
// lists that a group has for the rows that steer, and a [Stripe] unites the lists that groups
// found for a range of places.
package solve
