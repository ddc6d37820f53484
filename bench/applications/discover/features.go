package main

import (
	"context"
	"fmt"
	"math"
	"math/cmplx"
	"math/rand/v2"
	"path/filepath"
	"slices"

	"github.com/knng/knng/bench/applications/discover/internal/keypoints"
	"github.com/knng/knng/bench/applications/discover/internal/verify"
	"github.com/knng/knng/bench/applications/discover/internal/words"
	"github.com/knng/knng/vectors"
)

// iterations of k-means. More change few words.
const iterations = 8

// features are the input of the two distances.
type features struct {
	coarse []float32 // of each picture in turn: tf-idf over the coarse words
	dim    int       // of it
	bags   []bag
	weight []float32 // of every fine word
	points int       // keypoints of all pictures
}

// bag is the fine words of a picture, ascending, with where they are.
type bag []occurrence

type occurrence struct {
	word, point uint32
	verify.Place
}

// describe makes the vocabularies from the keypoints of all pictures and describes
// the pictures by them. All descriptors are in memory: 128 bytes a keypoint.
func (c *config) describe(ctx context.Context, sets []*keypoints.Set) (*features, error) {
	var descriptors []byte
	for _, s := range sets {
		descriptors = append(descriptors, s.Descriptors...)
	}
	rng := rand.New(rand.NewPCG(c.seed, 0xd15c))
	some := sample(descriptors, c.training, rng)
	coarse, err := words.Means(some, keypoints.Dim, c.coarse, iterations, c.threads, rng)
	if err != nil {
		return nil, err
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	fine, err := words.Grow(some, keypoints.Dim, c.branch, c.depth, iterations, c.threads, rng)
	if err != nil {
		return nil, err
	}
	f := &features{dim: coarse.Len(), points: len(descriptors) / keypoints.Dim}
	if f.dim == 0 {
		return nil, fmt.Errorf("%s: no keypoints in %d pictures", c.images, len(sets))
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	return f, f.fill(sets, descriptors, coarse, fine, c.threads)
}

// find returns the keypoints of every picture.
func (c *config) find(ctx context.Context, names []string) ([]*keypoints.Set, error) {
	sets := make([]*keypoints.Set, len(names))
	return sets, vectors.Ranges(c.threads, len(names), 4, func() func(from, to int) error {
		return func(from, to int) error {
			for i := from; i < to; i++ {
				img, err := decode(filepath.Join(c.images, filepath.FromSlash(names[i])))
				if err != nil {
					return err
				}
				sets[i] = keypoints.Find(keypoints.Of(img, c.side), c.keypoints)
			}
			return ctx.Err()
		}
	})
}

// sample draws at most so many descriptors.
func sample(descriptors []byte, most int, rng *rand.Rand) (some []byte) {
	n := len(descriptors) / keypoints.Dim
	if n <= most {
		return descriptors
	}
	for _, i := range rng.Perm(n)[:most] {
		some = append(some, descriptors[i*keypoints.Dim:(i+1)*keypoints.Dim]...)
	}
	return some
}

// fill gives every picture its histogram and its bag.
func (f *features) fill(sets []*keypoints.Set, descriptors []byte, coarse *words.Vocabulary, fine *words.Tree, threads int) error {
	low, err := coarse.Words(descriptors, threads)
	if err != nil {
		return err
	}
	high, err := fine.Words(descriptors, threads)
	if err != nil {
		return err
	}
	lows, highs := divide(low, sets), divide(high, sets)
	weights := words.Weights(lows, coarse.Len())
	f.weight = words.Weights(highs, fine.Len())
	for i, s := range sets {
		f.coarse = append(f.coarse, words.Histogram(lows[i], weights)...)
		b := make(bag, len(s.Points))
		for j, p := range s.Points {
			frame := cmplx.Rect(float64(p.Scale), float64(p.Angle))
			b[j] = occurrence{highs[i][j], uint32(j), verify.Place{At: complex(float64(p.X), float64(p.Y)), Frame: frame}}
		}
		slices.SortStableFunc(b, func(x, y occurrence) int { return int(x.word) - int(y.word) })
		f.bags = append(f.bags, b)
	}
	return nil
}

// divide gives every picture its part of the words of all.
func divide(all []uint32, sets []*keypoints.Set) (parts [][]uint32) {
	for _, s := range sets {
		parts = append(parts, all[:len(s.Points)])
		all = all[len(s.Points):]
	}
	return parts
}

// norm is the length of a picture's weighted words, each keypoint by itself.
func (f *features) norm(picture int) float64 {
	var sum float64
	for _, o := range f.bags[picture] {
		sum += float64(f.weight[o.word]) * float64(f.weight[o.word])
	}
	return math.Sqrt(sum)
}
