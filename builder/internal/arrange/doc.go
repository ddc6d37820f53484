// Package arrange gives the rows of a build their places: it writes them into the store, in locality order or
// in the order of the input, reads an order that was written before, and maps the rows.
package arrange
