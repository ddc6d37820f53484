// Package parts is the parts method: divisions into overlapping leaves on one level, all pairs
// in a leaf, and nothing in memory but a group of leaves (package groups). The entries that a
// group finds are a unit of the stage, kept by the store; before the next division the units
// are united with the lists so far, stripe of places after stripe, and at the end they
// become the graph, without more lists than those of a few stripes in memory at a time.
//
// Every row stands in the leaves of its four nearest of many leaders, of very many rows its eight or ten nearest
// (job.WideRows, job.VastRows). Near leaves are solved together
// as a group whose rows have been put side by side, on disk where they do not fit in memory; a group
// keeps only entries that may still enter the lists so far. There is no propagation.
//
// Held in memory: some hundred megabytes, and four to ten leaders for each thousand rows. Blocks that grow
// with the rows (4 bytes a row for the good rows, 2 for the bounds of lists, 16 to 40 in a division, 8 in the
// audit, 4 in the last pass) are in mapped files where they no longer fit. The rows of groups stand in memory, as many
// of them at a time as there is room for, or in a file where that is so few that all rows would be read too often.
//
// Under inner products rows look into cells (package inner), and the lists of a stretch of rows are
// such a unit: 16 bytes a row stay in memory, 32 while cells are made, beside blocks of the ledger.
package parts
