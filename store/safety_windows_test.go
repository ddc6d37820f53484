package store

// unixSpoilers are what Windows does not have.
var unixSpoilers []spoiler
