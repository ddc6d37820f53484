// Package groups divides rows that need not fit in memory. It is the random
// division of Wang et al., "Scalable k-NN graph construction" (section "Multiple
// random divide-and-conquer"), with hyperspheres on one level: some rows are drawn
// as leaders, and every row stands in the leaves of its nearest few of them. They are
// looked for in cells around a few heads (division.Cells).
//
// Why one level: the leaves of a tree need all rows at hand at every level, or a
// rewriting of them at each; here two passes over the rows place them all. Of a million rows
// on such leaves find more for each pair as well (see division.Balls).
//
// Leaves are numbered so that near ones follow each other, and consecutive ones are
// taken together as a group whose rows fit in memory. Consecutive groups are a batch, whose rows are read in
// one pass over all of them: in memory each once, as many batches as there is room for, or on disk side by side
// group by group, where a group is read in one piece:
//
//	leaves, err := groups.Divide(ctx, division)
//	for _, batch := range leaves.Batches(disk, memory) {
//		spill, err := leaves.Spill(ctx, batch, dir)
//		for g := batch.From; g < batch.To; g++ {
//			err := spill.Read(g, &group)
//		}
//	}
package groups
