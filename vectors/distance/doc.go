// Package distance computes keys: the float32 by which the lists of a k-NN
// graph are ordered. Most programs need [New] and [Space.Keys].
//
// # The key, to the bit
//
// Everything that orders a list comes from the definitions below. They do not
// depend on the kernel, the CPU, the compiler or the position of a row, so a
// graph is the same bytes wherever it is built.
//
// Integer rows (uint8, int8). With exact integers
//
//	sq(x,y)  = sum over i of (x[i]-y[i])^2
//	dot(x,y) = sum over i of x[i]*y[i]
//
// the keys are
//
//	euclidean, sqeuclidean   float32(sq)
//	ip                       -float32(dot), and +0 where dot is 0
//	cosine                   see below, from the exact integers
//
// where float32 of an integer is one rounding to nearest even.
//
// Float rows (float32, float16 converted exactly to float32). Sums run in
// sixteen float64 lanes; element i belongs to lane i mod 16 and a lane adds its
// elements in increasing i, starting from +0:
//
//	sq:  d := float32(x[i] - y[i])         one float32 subtraction
//	     lane[i%16] += float64(d) * float64(d)
//	dot: lane[i%16] += float64(x[i]) * float64(y[i])
//
// The product of two float32 is exact in float64, so a fused multiply-add and
// a multiply followed by an add give the same bits: no compiler flag and no
// CPU can change them. The lanes are then added in halves,
//
//	for w := 8; w >= 1; w /= 2 { for j < w { lane[j] += lane[j+w] } }
//
// and lane[0] is the float64 result, sq or dot. The keys are
//
//	euclidean, sqeuclidean   float32(sq)
//	ip                       float32(-dot), and +0 where dot is 0
//
// Cosine, all types, with norm(x) = math.Sqrt(float64(dot(x,x))):
//
//	cosine                   float32(1 - float64(dot(x,y)) / (norm(x)*norm(y)))
//
// in float64 up to the last conversion, then clamped to [0, 2].
//
// Shown distances: sqrt(float64(key)) rounded to float32 for euclidean, the
// key itself for the others.
package distance
