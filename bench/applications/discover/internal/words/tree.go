package words

import (
	"math/rand/v2"

	"github.com/knng/knng/vectors"
)

// A Tree is a vocabulary of many words: k-means of k-means. A row goes down to the
// nearest center at every level; where it ends is its word. That compares it with
// branch times depth centers in place of branch to the power of depth.
type Tree struct {
	root  *node
	dim   int
	words uint32
}

type node struct {
	*Vocabulary
	children []*node
	word     uint32 // of a leaf, which has no vocabulary
}

// Grow makes a tree of rows of dim bytes. A node with no more rows than branches is
// a leaf.
func Grow(rows []byte, dim, branch, depth, iterations, threads int, rng *rand.Rand) (*Tree, error) {
	t := &Tree{dim: dim}
	var err error
	t.root, err = t.grow(rows, branch, depth, iterations, threads, rng)
	return t, err
}

func (t *Tree) grow(rows []byte, branch, depth, iterations, threads int, rng *rand.Rand) (*node, error) {
	if depth == 0 || len(rows)/t.dim <= branch {
		t.words++
		return &node{word: t.words - 1}, nil
	}
	v, err := Means(rows, t.dim, branch, iterations, threads, rng)
	if err != nil {
		return nil, err
	}
	words, err := v.Words(rows, threads)
	if err != nil {
		return nil, err
	}
	parts := make([][]byte, v.Len())
	for i, w := range words {
		parts[w] = append(parts[w], rows[i*t.dim:(i+1)*t.dim]...)
	}
	n := &node{Vocabulary: v}
	for _, part := range parts {
		child, err := t.grow(part, branch, depth-1, iterations, threads, rng)
		if err != nil {
			return nil, err
		}
		n.children = append(n.children, child)
	}
	return n, nil
}

// Len is the number of words.
func (t *Tree) Len() int { return int(t.words) }

// Words returns the word of every row.
func (t *Tree) Words(rows []byte, threads int) ([]uint32, error) {
	words := make([]uint32, len(rows)/t.dim)
	err := vectors.Ranges(threads, len(words), 1024, func() func(from, to int) error {
		var keys []float32
		return func(from, to int) error {
			for i := from; i < to; i++ {
				n := t.root
				for n.Vocabulary != nil {
					for len(keys) < n.Len() {
						keys = append(keys, 0)
					}
					w, _ := n.nearest(rows[i*t.dim:(i+1)*t.dim], keys[:n.Len()])
					n = n.children[w]
				}
				words[i] = n.word
			}
			return nil
		}
	})
	return words, err
}
