// Package balls is the method of overlapping divisions by hyperspheres and of propagation by
// joins. It compares codes, rows rounded to bytes, and keeps for every row some more candidates
// than neighbors; at the end it computes the keys of all candidates and keeps the nearest.
//
//   - A division (divide.go) assigns every row to several leaves and compares all pairs of a leaf: to four
//     leaves, and in the first division of many rows to up to twelve, as many as stretches of the order
//     show to suffice (whole.go).
//   - A round of joins (join.go) compares the neighbors of a row with each other.
//   - Known lists, of a graph of these rows (whole.go) or of parts of them (known.go, across.go), are the
//     first generation.
//   - If a few rows are the neighbors of most rows, all rows are compared with these few (hubs.go).
//   - Next decides between these stages by the recall of the steering sample (recall.go).
//   - Rows of many dimensions are compared along fewer axes if these lose little (axes.go), and with short
//     codes of six bits if these lose little too.
//   - All other rows are compared by short codes of all dimensions if these lose little (short.go).
//   - If codes cannot distinguish neighbors, rows are compared by keys; if divisions and joins stop paying,
//     all pairs are compared (keys.go), beginning with the rows that find most of the missing neighbors
//     (tiers.go).
//   - Under inner products, balls hold rows of similar direction and length (inner.go).
//   - The lists are written to disk every few seconds, and a build resumes from there (resume.go).
//
// Codes have one scale for all rows. A few rows that lie far out do not set it; they get exact lists at the
// end. The recall that codes can reach is measured on the steering rows before the first stage (package
// build, Sight).
//
// Memory holds lists of k entries and some slack (8 bytes an entry); during a round, one more list for the
// surroundings of an eighth of the rows; while dividing, 24 bytes a row, or 76 if the rows are many; and the
// codes of rows that are not bytes.
package balls
