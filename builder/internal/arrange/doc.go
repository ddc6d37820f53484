// Package arrange writes the rows of a build into its store: in locality order, or as they come.
package arrange
