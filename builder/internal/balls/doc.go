// Package balls is the method of overlapping divisions by hyperspheres and of propagation by
// joins. It compares codes, rows rounded to bytes, and keeps for every row some more candidates
// than neighbors; at the end it computes the keys of all candidates and keeps the nearest.
//
//   - A division (divide.go) assigns every row to several leaves and compares all pairs of a leaf: to four, and in the first one of many
//     rows to as many, up to twelve, as stretches of the order tell to suffice (whole.go).
//   - A round of joins (join.go) compares the neighbors of a row with each other.
//   - Lists that are known, of a graph of these rows (whole.go) or of parts of them (known.go,
//     across.go), are the first generation.
//   - Where a few rows are the neighbors of most, all are compared with these (hubs.go).
//   - Next decides between them by the recall of the steering sample (recall.go).
//   - Rows of many dimensions are compared along fewer axes where these lose little (axes.go), by
//     short codes, of six bits, if these do as well.
//   - All other rows are compared by short codes of all dimensions where these lose little (short.go).
//   - Where codes cannot tell neighbors apart, rows are compared by keys; where divisions and joins
//     stop paying, all pairs are compared (keys.go), and the rows first that find most missing
//     neighbors (tiers.go).
//   - Under inner products balls hold rows of one direction and about one length (inner.go).
//   - The lists are written to disk every few seconds, and a build goes on from there (resume.go).
//
// Codes have one step for all rows; a few rows that lie far out do not set it, and get exact
// lists at the end. The recall that they can come to is measured on the steering rows before the first
// stage (package build, Sight).
//
// Held in memory: lists of k and some slack (8 bytes an entry), in a round one more for the
// surroundings of an eighth of the rows, 24 bytes a row while dividing, of many rows 76, and the codes of rows that
// are not bytes.
package balls
