// Package groups divides rows that need not fit in memory. It makes the random divisions of Wang et al.,
// "Scalable k-NN graph construction" (section "Multiple random divide-and-conquer"), with hyperspheres on one
// level: some rows are drawn as leaders, and every row is in the leaves of its nearest few leaders. These are
// searched for in cells around a few heads (division.Cells).
//
// There is one level because two passes over the rows then assign all of them. The leaves of a tree need all
// rows in memory at every level, or rewrite them at each. With a million rows such leaves also find more per
// pair (see division.Balls).
//
// Leaves are numbered so that near ones have near numbers. Consecutive leaves form a group, whose rows fit in
// memory. Consecutive groups form a batch, whose rows are read in one pass over all rows: either into memory,
// each row once, or to disk, group by group, where a group is read in one piece:
//
//	leaves, err := groups.Divide(ctx, division)
//	for _, batch := range leaves.Batches(disk, memory) {
//		spill, err := leaves.Spill(ctx, batch, dir)
//		for g := batch.From; g < batch.To; g++ {
//			err := spill.Read(g, &group)
//		}
//	}
package groups
