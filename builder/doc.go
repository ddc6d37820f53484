// Package builder builds k-NN graphs by the method of Wang et al., "Scalable
// k-NN graph construction": random divisions, exact subgraphs in their leaves,
// union, and neighborhood propagation. [Build] is the one function that most
// programs need.
package builder
