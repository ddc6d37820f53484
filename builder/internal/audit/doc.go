// Package audit looks at every value of an input before anything is built on it: at values without
// a distance, at repeated rows, and at the checksum by which a resumed build knows its input.
package audit
