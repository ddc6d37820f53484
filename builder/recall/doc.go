// Package recall measures how much of the true k-NN graph a graph holds.
//
// Recall@k of a row is the share of its k nearest that its list holds. Ties are
// accepted by key: any distinct row, other than the row itself, whose key is at
// most the true k-th key counts, up to k of them. The denominator is
// min(k, n-1). The recall of a graph is the mean over its rows; it is estimated
// from a [Sample] of rows whose exact lists are computed by [Search] or read
// from a file by [ReadTruth], and comes with the [Interval] that holds the mean
// over all rows with 95 % confidence.
//
// # Two samples
//
// A build that stops when it has measured enough recall must not report that
// measurement: it chose the moment, so the value is biased upwards. [Disjoint] draws
// a steering sample and a report sample. Before it stops, a build measures the report
// sample too. If the interval of that is below the target, or both samples together are
// well below it, the report sample joins the steering sample, and a new one is drawn to
// report. The interval of the k-th report sample is widened for k looks. Nearly all
// builds report the first.
//
// # Passes
//
// Search reads all rows once, in order, in blocks of about 128 KB, and compares
// each block with all sampled rows while it is in the cache. For m sampled rows
// of n that is m*(n-1) comparisons and one sequential read. In memory: the
// sampled rows, their lists (8*m*k bytes), and a block for each thread.
package recall
