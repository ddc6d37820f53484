// Package points holds the rows that a build compares, under a metric, or under a distance of
// the user's own, with their norms, their order, their codes and the filters made of
// codes. It knows no build and no store: the points of a whole input, of a sample and of a
// group of leaves are alike.
//
// A row is addressed by its place, its position in the locality order; Order[place] is its
// row number. A key is the value that a metric orders by; a code is a row rounded to bytes.
package points
