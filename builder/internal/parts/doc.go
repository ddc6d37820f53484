// Package parts is the parts method: divisions into overlapping leaves on one level, all pairs in a leaf, and
// only one group of leaves in memory (package groups). The entries that a group finds are a unit of the
// stage, kept by the store. Before the next division the units are merged with the lists so far, one stripe
// of places after another; at the end they become the graph, with the lists of only a few stripes in memory
// at a time.
//
// Every row is in the leaves of its four nearest of many leaders; if the rows are very many, of its eight or
// ten nearest (job.WideRows, job.VastRows). Near leaves are solved together as a group. The rows of a group
// are gathered next to each other, on disk if they do not fit in memory. A group keeps only entries that may
// still enter the lists so far. There is no propagation.
//
// Memory holds some hundred megabytes, and four to ten leaders for each thousand rows. Blocks that grow with
// the rows (4 bytes a row for the good rows, 2 for the bounds of lists, 16 to 40 in a division, 8 in the
// audit, 4 in the last pass) are in mapped files if they do not fit. The rows of groups are in memory, as
// many at a time as fit, or in a file if so few fit that all rows would be read too often.
//
// Under inner products rows look into cells (package inner), and the lists of a stretch of rows are such a
// unit: 16 bytes a row stay in memory, 32 while cells are made, besides the blocks of the ledger.
package parts
