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
// measurement: having chosen the moment, it is biased upwards. [Disjoint] draws
// one sample to steer by and another to report. Before it stops a build looks at
// the sample that reports, too: where its interval is below the target, or both samples together
// are well below it, its rows steer from then on and others report. The interval of the k-th sample is that of
// k looks, so it is wider; the first one, which nearly all builds report, is that of
// one.
//
// # Passes
//
// Search reads all rows once, in order, in blocks of about 128 KB, and compares
// each block with all sampled rows while it is in the cache. For m sampled rows
// of n that is m*(n-1) comparisons and one sequential read. In memory: the
// sampled rows, their lists (8*m*k bytes), and a block for each thread.
package recall
