package main

import (
	"encoding/binary"
	"fmt"
	"hash/fnv"
	"math"
	"sync"

	"github.com/knng/knng/bench/applications/discover/internal/verify"
	"github.com/knng/knng/builder/refine"
	"github.com/knng/knng/store"
)

// repeats is how many pairs of keypoints a word may give two pictures. One that
// gives more is a pattern that repeats, and says little of where things are.
const repeats = 9

// verified reports whether a key is that of a verified pair.
func verified(key float32) bool { return key < 1 }

// matcher is the fine distance. Words weigh w, their inverse document frequency.
// Where at least so many words of two pictures lie in both in the same arrangement
// as inliers says, the key is
//
//	1 - sum over these of w^2 / (|a| |b|)     from 0 to below 1
//
// and otherwise
//
//	2 - sum over all shared of w^2 / (|a| |b|)     from 1 to 2
//
// so that every verified pair is nearer than all others, and walks have a slope to
// go down before they meet one.
type matcher struct {
	*features
	inliers int
	norms   []float64
	buffers sync.Pool
}

type buffer struct {
	finder  verify.Finder
	matches []verify.Match
	weights []float64 // squared, of each match
}

func newMatcher(f *features, inliers int) *matcher {
	m := &matcher{features: f, inliers: inliers}
	m.buffers.New = func() any { return new(buffer) }
	for i := range f.bags {
		m.norms = append(m.norms, f.norm(i))
	}
	return m
}

// distance names the keys by all that they come from, so that a graph is continued
// with these pictures and options only.
func (m *matcher) distance() *refine.Distance {
	h := fnv.New64a()
	for _, b := range m.bags {
		binary.Write(h, binary.LittleEndian, uint32(len(b)))
		for _, o := range b {
			binary.Write(h, binary.LittleEndian, [3]float64{float64(o.word), real(o.At), imag(o.At)})
		}
	}
	name := fmt.Sprintf("verified words, %d inliers, %016x", m.inliers, h.Sum64())
	return &refine.Distance{Name: name, Version: 1, Key: m.key}
}

func (m *matcher) key(a, b store.Row) (float32, error) {
	buf := m.buffers.Get().(*buffer)
	defer m.buffers.Put(buf)
	shared := m.match(buf, m.bags[a], m.bags[b])
	norm := m.norms[a] * m.norms[b]
	if norm == 0 {
		return 2, nil
	}
	if _, inliers := buf.finder.Best(buf.matches); len(inliers) >= m.inliers {
		var sum float64
		for _, i := range inliers {
			sum += buf.weights[i]
		}
		return float32(math.Min(math.Max(1-sum/norm, 0), below1)), nil
	}
	return float32(max(2-shared/norm, 1)), nil
}

var below1 = float64(math.Nextafter32(1, 0))

// match fills the buffer with the pairs of keypoints that have a word in common,
// and returns the summed squared weights of shared words, each as often as both
// pictures have it.
func (m *matcher) match(buf *buffer, a, b bag) (shared float64) {
	buf.matches, buf.weights = buf.matches[:0], buf.weights[:0]
	for len(a) > 0 && len(b) > 0 {
		switch {
		case a[0].word < b[0].word:
			a = a[a.run():]
		case a[0].word > b[0].word:
			b = b[b.run():]
		default:
			i, j := a.run(), b.run()
			weight := float64(m.weight[a[0].word]) * float64(m.weight[a[0].word])
			shared += weight * float64(min(i, j))
			if i*j <= repeats {
				for _, x := range a[:i] {
					for _, y := range b[:j] {
						buf.matches = append(buf.matches, verify.Match{From: x.Place, To: y.Place, A: x.point, B: y.point})
						buf.weights = append(buf.weights, weight)
					}
				}
			}
			a, b = a[i:], b[j:]
		}
	}
	return shared
}

// run is how often the first word stands at the beginning.
func (b bag) run() int {
	n := 1
	for n < len(b) && b[n].word == b[0].word {
		n++
	}
	return n
}
