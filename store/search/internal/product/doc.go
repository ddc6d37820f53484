// Package product holds rows as short codes from which distances are estimated: product
// quantization. The elements of a row are cut into parts, and of every part one byte names the
// nearest of 256 centers. For a query a table holds the share of each center of each part in the
// distance; a row's estimate is a sum of as many table entries as it has parts.
//
// All of it is a function of the rows of the sample and the seed, on any number of threads.
package product
