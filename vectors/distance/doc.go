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
// L1 and Chebyshev, all types, with elements converted exactly to float32:
//
//	l1:        lane[i%16] += float64(abs(float32(x[i] - y[i]))), float32 of the lanes' sum
//	chebyshev: the largest abs(float32(x[i] - y[i]))
//
// Correlation, all types, with mean(x) the lanes' sum of float64(x[i]), divided by the dimension:
//
//	moved: lane[i%16] += (float64(x[i]) - mean(x)) * (float64(y[i]) - mean(y)), unfused
//	correlation is cosine with moved(x,y) for dot(x,y) and sqrt(moved(x,x)) for norm(x)
//
// Means are subtracted in float64, so rows that lie far from zero lose nothing beyond what their
// float32 elements have lost.
//
// Hamming and Jaccard take uint8 rows as packed bits, in whatever order, as numpy.packbits
// makes them; the dimension counts bytes:
//
//	hamming    float32(bits that differ)
//	jaccard    float32(float64(either-both) / float64(either)) of the bits that either
//	           and that both have; +0 where both are empty, as SciPy has it
//
// Shown distances: sqrt(float64(key)) rounded to float32 for euclidean, the
// key itself for the others.
package distance
