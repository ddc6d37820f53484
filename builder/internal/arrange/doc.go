// Package arrange gives the rows of a build their places: it writes them into the store, in locality
// order or as they come, takes up an order that was written before, and maps the rows.
package arrange
