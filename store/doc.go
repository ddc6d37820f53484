// Package store keeps a k-NN graph on disk: adjacency lists, per-division
// subgraphs, the progress of a build, the locality order and external ids, all
// in Pebble. [Open] reads a finished store; [OpenDraft] creates or resumes one
// that is being built.
package store
