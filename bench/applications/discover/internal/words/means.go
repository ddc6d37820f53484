// Package words makes vocabularies of visual words from descriptors of keypoints:
// [Means] clusters descriptors by k-means, [Grow] by a tree of k-means for large
// vocabularies (Nistér, Stewénius, "Scalable recognition with a vocabulary tree",
// CVPR 2006), and [Weights] weighs words by how few pictures have them.
//
// Descriptors and centers are rows of Dim bytes. Distances are squared euclidean,
// of the kernels of vectors/distance.
package words

import (
	"math/rand/v2"

	"github.com/knng/knng/vectors"
	"github.com/knng/knng/vectors/distance"
)

// A Vocabulary is the centers of k-means.
type Vocabulary struct {
	Centers []byte
	Inertia []float64 // summed squared distances of the rows to their centers, after each iteration; it falls
	dim     int
	space   *distance.Space
	all     []uint32
}

// Means clusters rows of dim bytes into at most k, in at most so many iterations:
// Lloyd's, from distinct rows drawn at random. As centers are rounded to bytes, the
// last steps could make the clusters worse; it stops before one that does. A center
// that no row follows stays where it is.
func Means(rows []byte, dim, k, iterations, threads int, rng *rand.Rand) (*Vocabulary, error) {
	space, err := distance.New(distance.SqEuclidean, vectors.Uint8, dim)
	if err != nil {
		return nil, err
	}
	n := len(rows) / dim
	v := &Vocabulary{dim: dim, space: space}
	for _, i := range rng.Perm(n)[:min(k, n)] {
		v.Centers = append(v.Centers, rows[i*dim:(i+1)*dim]...)
	}
	v.number()
	words, inertia, err := v.assign(rows, threads)
	for i := 0; i < iterations && err == nil && n > 0; i++ {
		before := v.Centers
		v.Centers = v.moved(rows, words)
		var now float64
		words, now, err = v.assign(rows, threads)
		if now >= inertia {
			v.Centers = before
			break
		}
		inertia = now
		v.Inertia = append(v.Inertia, now)
	}
	return v, err
}

func (v *Vocabulary) number() {
	v.all = make([]uint32, v.Len())
	for i := range v.all {
		v.all[i] = uint32(i)
	}
}

// Len is the number of words.
func (v *Vocabulary) Len() int { return len(v.Centers) / v.dim }

// nearest returns the center nearest to a row, the first of equals; keys is a
// buffer of Len.
func (v *Vocabulary) nearest(row []byte, keys []float32) (word uint32, key float32) {
	v.space.Keys(row, 0, v.Centers, v.dim, nil, v.all, keys)
	for i, k := range keys {
		if k < keys[word] {
			word = uint32(i)
		}
	}
	return word, keys[word]
}

// Words returns the word of every row.
func (v *Vocabulary) Words(rows []byte, threads int) ([]uint32, error) {
	words, _, err := v.assign(rows, threads)
	return words, err
}

// assign finds the nearest center of every row, and the sum of the distances.
func (v *Vocabulary) assign(rows []byte, threads int) (words []uint32, inertia float64, err error) {
	n := len(rows) / v.dim
	words = make([]uint32, n)
	nearest := make([]float32, n)
	err = vectors.Ranges(threads, n, 1024, func() func(from, to int) error {
		keys := make([]float32, v.Len())
		return func(from, to int) error {
			for i := from; i < to; i++ {
				words[i], nearest[i] = v.nearest(rows[i*v.dim:(i+1)*v.dim], keys)
			}
			return nil
		}
	})
	for _, k := range nearest { // in order: the sum does not depend on threads
		inertia += float64(k)
	}
	return words, inertia, err
}

// moved returns the means of the rows of every word.
func (v *Vocabulary) moved(rows []byte, words []uint32) []byte {
	sums, counts := make([]int, len(v.Centers)), make([]int, v.Len())
	for i, w := range words {
		counts[w]++
		sum := sums[int(w)*v.dim : (int(w)+1)*v.dim]
		for j, x := range rows[i*v.dim : (i+1)*v.dim] {
			sum[j] += int(x)
		}
	}
	centers := append([]byte(nil), v.Centers...)
	for i, sum := range sums {
		if c := counts[i/v.dim]; c > 0 {
			centers[i] = byte((sum + c/2) / c)
		}
	}
	return centers
}
