// Package points holds the rows that a build compares, under a metric or the user's own distance, with their
// norms, their order, their codes and the filters made from codes. It does not depend on builds or stores:
// the points may be a whole input, a sample, or a group of leaves.
//
// A row is addressed by its place, its position in the locality order; Order[place] is its
// row number. A key is the value that a metric orders by; a code is a row rounded to bytes.
package points
