// Package product stores rows as short codes from which distances are estimated: product quantization. The
// elements of a row are cut into parts, and for every part one byte names the nearest of 256 centers. For a
// query a table holds the share of each center of each part in the distance; the estimate for a row is a sum
// of table entries, one per part.
//
// All of it depends only on the sampled rows and the seed, not on the number of threads.
package product
