//go:build race

package store

// raceEnabled: the race detector empties pools at random, so that what they save
// is allocated after all.
const raceEnabled = true
