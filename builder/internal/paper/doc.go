// Package paper is the method of Wang et al., "Scalable k-NN graph construction for visual
// descriptors" (CVPR 2012): random divisions by hyperplanes, all pairs of the rows of a leaf,
// the union of the lists of all divisions, and best-first propagation around every row.
package paper
