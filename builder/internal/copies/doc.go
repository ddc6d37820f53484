// Package copies solves one row of each group of identical rows for all of them.
//
// All passes between the audit and the end of a build know only the first row of each group.
// Places of copies follow those of the solved rows, so that the finished store has all rows. Lists
// are expanded to all rows where the adjacency is written.
//
// Nothing is lost: with k distinct rows in a list, every row of a group that is not listed comes
// after the first rows of the k groups that are.
package copies
