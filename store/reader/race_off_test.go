//go:build !race

package reader_test

const raceDetector = false
