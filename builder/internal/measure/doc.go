// Package measure computes the recall of a finished store: it draws a sample of its rows,
// computes their exact lists from the store's vectors, and compares the lists of the store with
// them.
package measure
