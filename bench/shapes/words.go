package shapes

import (
	"math"
	"math/rand/v2"
)

// words are static embeddings of names of some words each, as of the nodes of a thesaurus: a
// name is the weighted mean of its words, frequent words weigh little and stand in many
// names, names share words, and some are the same name in another sense.
func words(rng *rand.Rand, n, dim int) func(int, []float64) {
	v := newVocabulary(rng, max(50, n/4), dim)
	var before [][]float64
	return func(i int, row []float64) {
		if i%20 == 19 {
			copy(row, before[rng.IntN(len(before))])
			return
		}
		v.name(rng, row)
		before = append(before, append([]float64(nil), row...))
	}
}

// vocabulary is words with their vectors, frequent ones first.
type vocabulary struct {
	vectors [][]float64
	weights []float64
}

// newVocabulary makes words of topics, with a mean far from zero and values that decay along axes.
func newVocabulary(rng *rand.Rand, size, dim int) *vocabulary {
	v := &vocabulary{weights: make([]float64, size)}
	topics, mean := table(rng, 200, dim), table(rng, 1, dim)[0]
	for i := range size {
		vector := make([]float64, dim)
		normals(rng, vector, 1)
		add(vector, topics[rng.IntN(len(topics))], 0.7)
		add(vector, mean, 0.5)
		for j := range vector {
			vector[j] /= math.Sqrt(1 + float64(j)/8)
		}
		v.vectors = append(v.vectors, vector)
		v.weights[i] = math.Log(2+float64(i)) / math.Log(float64(size))
	}
	return v
}

// name writes the mean of one to five words.
func (v *vocabulary) name(rng *rand.Rand, row []float64) {
	count := 1
	for count < 5 && rng.IntN(5) < 3 {
		count++
	}
	for range count {
		w := power(rng, len(v.vectors))
		add(row, v.vectors[w], v.weights[w]/float64(count))
	}
}
