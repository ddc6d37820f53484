// Package parts divides rows that need not fit in memory. It is the random
// division of Wang et al., "Scalable k-NN graph construction" (section "Multiple
// random divide-and-conquer"), with hyperspheres on one level: some rows are drawn
// as leaders, and every row stands in the leaves of its nearest few of them. They are
// looked for in cells around a few heads.
//
// One level parts neighbors far less often than a tree, which parts them at every
// level. Measured on 1,000,000 SIFT descriptors at k = 20, the share of true
// neighbors that meet in a leaf: 4,000 leaders, four leaves a row, 0.763; three
// trees of balls, four a row at the root, with as many pairs, 0.76 all together.
//
// Leaves are numbered so that near ones follow each other, and consecutive ones are
// taken together as a group whose rows fit in memory. Rows go to disk group by
// group, in one pass over all of them, and a group is read in one piece:
//
//	leaves, err := parts.Divide(ctx, division)
//	for _, batch := range leaves.Batches(bytes) {
//		spill, err := leaves.Spill(ctx, batch, dir)
//		for g := batch.From; g < batch.To; g++ {
//			err := spill.Read(g, &group)
//		}
//	}
package parts
