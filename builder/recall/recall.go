// Package recall measures how much of the true k-NN graph a graph holds.
package recall
