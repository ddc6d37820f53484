package builder_test

import (
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"github.com/knng/knng/builder"
	"github.com/knng/knng/vectors"
	"github.com/knng/knng/vectors/distance"
)

// blobs is a small set in the repository: 3,000 rows of 24 bytes around 30
// centres. KNNG_UPDATE=1 go test -run Golden ./builder writes it anew.
var blobs = filepath.Join("..", "testdata", "blobs-3000x24.u8bin")

func writeBlobs(t *testing.T) {
	w, err := vectors.Create(blobs, vectors.Uint8, 24)
	if err != nil {
		t.Fatal(err)
	}
	rng := rand.New(rand.NewPCG(2026, 11))
	centres := make([]byte, 30*24)
	for i := range centres {
		centres[i] = byte(20 + rng.IntN(180))
	}
	row := make([]byte, 24)
	for range 3000 {
		c := rng.IntN(30) * 24
		for j := range row {
			row[j] = centres[c+j] + byte(rng.IntN(20)+rng.IntN(20))
		}
		if err := w.Append(row, ""); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
}

// TestGoldenGraphs pins whole graphs: the same bytes under every kernel, with
// and without assembly and cgo, under GOAMD64=v1 and v3, and on arm64.
func TestGoldenGraphs(t *testing.T) {
	if os.Getenv("KNNG_UPDATE") != "" {
		writeBlobs(t)
	}
	paper := builder.Options{K: 10, Method: builder.Paper, LeafSize: 100, Paper: builder.PaperOptions{Visits: 100}, Divisions: 3, Rounds: 1}
	cosine, random, steered := paper, paper, paper
	cosine.Metric = distance.Cosine
	random.Paper.Directions = builder.Random
	steered.Divisions, steered.Rounds, steered.Recall = 0, 0, 0.98
	for name, c := range map[string]struct {
		opts builder.Options
		want string
	}{
		"exact":   {builder.Options{K: 10, Method: builder.Exact}, "c6065a4879dcfcb5e6ff4802502228a56cf789defddfd988b8b05a5a48bbbeb3"},
		"paper":   {paper, "c9f59b2d5d9f9a327c9fbb70c621a41c4176605cdcf98b32946c6601b83667a4"},
		"cosine":  {cosine, "7acd400e71f46aabacfb70f566f7ccebd6c129a43c0769edf37f062e514ba3da"},
		"random":  {random, "dcd5102abd7603551d798df625aac6a1461544e8bc6728ea5e2b1267f1980df4"},
		"balls":   {builder.Options{K: 10, Method: builder.Balls, LeafSize: 40, Divisions: 2, Rounds: 1}, "10cf06f586cedb82118cc7a997dcf5108579f89970eabf6dbb344d3d020ebfca"},
		"cells":   {builder.Options{K: 3, Method: builder.Balls, LeafSize: 12, Divisions: 8, Rounds: 1}, "db18bc5075db9929a990c6169249977f19ad7c077bf964b6f0a1088486087151"},
		"codes":   {builder.Options{K: 10, Method: builder.Balls, LeafSize: 100, Metric: distance.Cosine}, "bd12696dddb5bc8650d457b5b6385fbac32401635ce99fab9aa4fd50d30d6b66"},
		"parts":   {builder.Options{K: 10, Method: builder.Parts, Divisions: 8}, "660a116a04ad0020f29e26453df047468fc6b8f200f7b9448df6d47fb6da6404"},
		"rounded": {builder.Options{K: 10, Method: builder.Parts, Metric: distance.Cosine}, "121d52ed1e794d10fc4a7b289636981153f8f705c228c5eb510b34f268fce33f"},
		"steered": {steered, "60e666fdff5e4ba8fb45bf5a5d49feb64f3c49a78a665f7658ffc883fad26629"},
	} {
		in, err := vectors.Open([]string{blobs}, nil)
		if err != nil {
			t.Fatal(err)
		}
		res, _ := build(t, filepath.Join(t.TempDir(), "g"), in, c.opts)
		in.Close()
		if res.Checksum != c.want {
			t.Errorf("%s: checksum %s, want %s", name, res.Checksum, c.want)
		}
	}
}
