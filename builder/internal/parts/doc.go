// Package parts is the parts method: divisions into overlapping leaves on one level, all pairs
// in a leaf, and nothing in memory but a group of leaves (package groups). The entries that a
// group finds are a unit of the stage, kept by the store; before the next division the units
// are united with the lists so far, stripe of places after stripe, and at the end they
// become the graph, without more lists than those of a few stripes in memory at a time.
//
// Under inner products rows look into cells (package inner), and the lists of a stretch of rows are
// such a unit: some 50 bytes a row stay in memory, beside blocks of the ledger.
package parts
