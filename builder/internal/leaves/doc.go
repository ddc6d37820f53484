// Package leaves solves leaves: it compares all pairs of the rows of a leaf, by codes or by
// keys, and offers each row to the candidates of the other. [Tile] solves one leaf by codes,
// [Solver] by the means of the points, and [Balls] all leaves of a division into balls.
package leaves
