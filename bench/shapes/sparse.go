package shapes

import (
	"archive/zip"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"

	"github.com/knng/knng/builder"
	"github.com/knng/knng/builder/postings"
	"github.com/knng/knng/builder/recall"
	"github.com/knng/knng/store"
	"github.com/knng/knng/vectors/distance"
	"github.com/knng/knng/vectors/sparse"
)

// tfIdf is the shape of sparse rows: words of texts by Zipf's law, two fifths of them of the text's
// topic, weighted as TF-IDF weights them.
var tfIdf = Shape{Name: "tf-idf", Rows: 50_000, Dim: 30_000, Metrics: []distance.Metric{distance.Cosine, distance.IP}}

// sparseRows are columns, ascending, and values of every row.
type sparseRows struct {
	columns [][]int32
	values  [][]float32
}

func newTexts(n, words int, seed uint64) *sparseRows {
	const topics, ofTopic = 200, 2000
	rng := rand.New(rand.NewPCG(seed, 0x7466696466))
	zipf := func(most int) int { return min(most, int(math.Pow(float64(most), rng.Float64()))) - 1 }
	s := &sparseRows{make([][]int32, n), make([][]float32, n)}
	texts, of := make([]int, words), make([]float64, words) // rows that have a word, and the times it is in this one
	for i := range n {
		topic := rng.IntN(topics)
		for range max(5, min(600, int(math.Exp(4.2+0.6*rng.NormFloat64())))) {
			word := zipf(words)
			if rng.IntN(5) < 2 {
				word = (topic*7919 + zipf(ofTopic)*31 + 1000) % words
			}
			if of[word]++; of[word] == 1 {
				s.columns[i] = append(s.columns[i], int32(word))
			}
		}
		slices.Sort(s.columns[i])
		for _, c := range s.columns[i] {
			s.values[i] = append(s.values[i], float32(1+math.Log(of[c])))
			texts[c]++
			of[c] = 0
		}
	}
	for i, columns := range s.columns {
		for j, c := range columns {
			s.values[i][j] *= float32(math.Log(float64(1+n)/float64(1+texts[c])) + 1)
		}
	}
	return s
}

// save writes the rows as SciPy writes a CSR matrix, and opens them.
func (s *sparseRows) save(path string, words int) (*sparse.Source, error) {
	starts := []int32{0}
	for _, columns := range s.columns {
		starts = append(starts, starts[len(starts)-1]+int32(len(columns)))
	}
	file, err := os.Create(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	z := zip.NewWriter(file)
	for _, array := range []struct {
		name, kind string
		n          int
		data       any
	}{{"shape", "<i4", 2, []int32{int32(len(s.columns)), int32(words)}}, {"indptr", "<i4", len(starts), starts},
		{"indices", "<i4", int(starts[len(starts)-1]), slices.Concat(s.columns...)}, {"data", "<f4", int(starts[len(starts)-1]), slices.Concat(s.values...)}} {
		w, err := z.Create(array.name + ".npy")
		if err != nil {
			return nil, err
		}
		head := fmt.Sprintf("{'descr': '%s', 'fortran_order': False, 'shape': (%d,), }\n", array.kind, array.n)
		head = "\x93NUMPY\x01\x00" + string(binary.LittleEndian.AppendUint16(nil, uint16(len(head)))) + head
		if _, err := w.Write([]byte(head)); err != nil {
			return nil, err
		}
		if err := binary.Write(w, binary.LittleEndian, array.data); err != nil {
			return nil, err
		}
	}
	if err := z.Close(); err != nil {
		return nil, err
	}
	return sparse.Open(path, 0)
}

// sparse builds the graphs of sparse rows.
func (c *Config) sparse(ctx context.Context, dir string, done func(Row)) error {
	if c.Only != nil && !c.Only.MatchString(tfIdf.Name) {
		return nil
	}
	rows := newTexts(tfIdf.rows(c.Scale), tfIdf.Dim, c.Seed)
	src, err := rows.save(filepath.Join(dir, "rows.npz"), tfIdf.Dim)
	if err != nil {
		return fmt.Errorf("shape %s: %w", tfIdf.Name, err)
	}
	defer src.Close()
	for _, metric := range tfIdf.Metrics {
		if len(c.Metrics) > 0 && !slices.Contains(c.Metrics, metric) || !slices.Contains(c.Methods, builder.Auto) && !slices.Contains(c.Methods, builder.Exact) {
			continue
		}
		r := Row{Shape: tfIdf.Name, N: src.Len(), Dim: src.Columns(), Metric: metric, Method: builder.Auto, Target: 1}
		if err := c.text(ctx, src, rows, filepath.Join(dir, "graph"), &r); err != nil {
			r.Failure = err.Error()
		}
		done(r)
		if err := errors.Join(ctx.Err(), os.RemoveAll(filepath.Join(dir, "graph"))); err != nil {
			return err
		}
	}
	return nil
}

// text builds one graph of sparse rows and fills in the row.
func (c *Config) text(ctx context.Context, src *sparse.Source, rows *sparseRows, dir string, r *Row) (err error) {
	r.Result, err = postings.Build(ctx, dir, src, builder.Options{K: c.K, Metric: r.Metric, Threads: c.Threads, BadRows: builder.Isolate, Progress: c.tell})
	if r.Result == nil {
		return err
	}
	r.Pairs = float64(r.Result.Comparisons) / max(1, float64(r.N)*float64(r.N-1)/2)
	g, err := store.Open(dir, nil)
	if err != nil {
		return err
	}
	r.Found, err = rows.recall(g, r.Metric, recall.Sample(src.Len(), c.Sample, 977, 0))
	return errors.Join(err, g.Close())
}

// recall is the share of the true neighbors of some rows that a store lists, by brute force in
// float64.
func (s *sparseRows) recall(g *store.Store, metric distance.Metric, places []uint32) (mean float64, err error) {
	norms := make([]float64, len(s.values))
	for i, values := range s.values {
		for _, x := range values {
			norms[i] += float64(x) * float64(x)
		}
		norms[i] = math.Sqrt(norms[i])
	}
	dense, all := make([]float64, tfIdf.Dim), make([]float64, len(s.values))
	k := min(g.K(), len(s.values)-1)
	var list []store.Neighbor
	for _, x := range places {
		for j, c := range s.columns[x] {
			dense[c] = float64(s.values[x][j])
		}
		for y := range all {
			all[y] = 0
			for j, c := range s.columns[y] {
				all[y] -= dense[c] * float64(s.values[y][j])
			}
			if metric == distance.Cosine {
				all[y] = 1 + all[y]/(norms[x]*norms[y])
			}
		}
		clear(dense)
		others := slices.Concat(all[:x], all[x+1:])
		bound := kth(others, k)
		if list, err = g.Neighbors(store.Row(x), list[:0]); err != nil {
			return 0, err
		}
		for _, n := range list {
			if all[n.Row] <= bound+1e-6*math.Abs(bound)+1e-14 {
				mean++
			}
		}
	}
	return mean / float64(max(1, k*len(places))), nil
}
