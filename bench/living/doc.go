// Package living measures search over a graph: the share of the true nearest rows that is
// found, comparisons a query, and queries a second at every effort, by one thread and by more,
// beside the HNSW indexes of hnswlib, usearch and faiss, which run in Python.
//
// All sides answer the same queries over the same rows. The truth is found once, by comparing
// with all rows, and kept in the work folder, as graphs and indexes are. Sides take turns at
// every point, and a point's rate is the median of its rounds: whatever slows the machine
// for a while slows all of them. Recalls and comparisons do not depend on the machine.
package living
