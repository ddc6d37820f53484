// Package copies solves one row of each group of identical rows for all of them.
//
// All passes between the audit and the end of a build use only the first row of each group. Places of copies
// come after those of the solved rows, so the finished store has all rows. Lists are expanded to all rows
// when the adjacency is written.
//
// Nothing is lost: if a list has k distinct rows, every row of another group comes after the first rows of
// these k groups.
package copies
