// Package exact is the method that compares all pairs. It compares blocks of rows with
// blocks of rows, by filters of codes first and by keys where these do not exclude a pair.
//
// In a round, every block meets at most one other (the circle method of round-robin
// tournaments), so the pairs of a round share no rows: they are the units of a stage, done
// in parallel without a lock. Round 0 compares each block with itself.
//
// If it continues from the lists of another method, it compares first the rows that find most of the missing
// neighbors (package tiers) with all rows, and stops when the steering rows have the target recall.
package exact
