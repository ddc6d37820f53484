// Package gofuncs turns the functions of the Go standard library into vectors:
// real input for the demo, which every machine that has Go has already.
//
// Most programs need two functions: Read finds the functions below a GOROOT,
// and Vectors gives each a row of hashed TF-IDF weights.
//
// # From a function to a row
//
//  1. Read parses every file of the library, in the order of their paths, and
//     takes each function or method with a body of at least minTokens tokens.
//  2. Its name, its doc comment and its code become terms (kinds.go): words of
//     identifiers, whole identifiers, qualified names, literals, and runs of
//     three tokens with the names taken out. A term is kept as a 64-bit hash of
//     its kind and text, and the number of times that the function has it.
//  3. A term that c of n functions have, t times in this one, weighs
//     (1 + log2 t) * log2((n+1)/c) times a factor of its kind; name, comment and
//     code are then each brought to a fixed share. Terms that no other function
//     has are left out: they can match nothing, and would only stir the others
//     through collisions.
//  4. The hash says to which few of the row's elements the weight is added, and
//     with which signs, so that collisions cancel on average. The row is then
//     scaled to length 1.
//
// # One answer everywhere
//
// Logarithms are integers, computed by squaring (weights.go), and so are the sums
// of a row; the lengths are square roots of sums in the order of the hashes, with
// no product left to be fused. The same sources give the same bytes on every machine, with any number
// of threads.
package gofuncs
