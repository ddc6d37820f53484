// Package audit reads every value of an input before anything is built on it: it finds values without a
// distance and repeated rows, and computes the checksum by which a resumed build recognizes its input.
package audit
