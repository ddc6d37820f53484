//go:build race

package reader_test

// raceDetector: the race detector empties pools at random, so that what they save
// is allocated after all.
const raceDetector = true
