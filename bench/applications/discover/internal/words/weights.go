package words

import "math"

// Weights are the inverse document frequencies of so many words: log(pictures /
// pictures that have the word), and 0 for words of no picture.
func Weights(pictures [][]uint32, words int) []float32 {
	in := make([]int, words)
	last := make([]int, words) // 1 + the picture last counted
	for p, list := range pictures {
		for _, w := range list {
			if last[w] != p+1 {
				last[w] = p + 1
				in[w]++
			}
		}
	}
	weights := make([]float32, words)
	for w, count := range in {
		if count > 0 {
			weights[w] = float32(math.Log(float64(len(pictures)) / float64(count)))
		}
	}
	return weights
}

// Histogram counts the words of a picture, weighs them and divides by the length:
// tf-idf. Of a picture without words it is zero.
func Histogram(list []uint32, weights []float32) []float32 {
	h := make([]float32, len(weights))
	for _, w := range list {
		h[w] += weights[w]
	}
	var sum float64
	for _, x := range h {
		sum += float64(x) * float64(x)
	}
	if sum > 0 {
		for i := range h {
			h[i] /= float32(math.Sqrt(sum))
		}
	}
	return h
}
