package export

import (
	"bytes"
	"cmp"
	"encoding/csv"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/knng/knng/store"
)

// graph is a graph in memory; shown distances are roots of keys.
type graph struct {
	k     int
	lists [][]uint32
	keys  [][]float32
	fail  int // EachKeyed fails when it comes to this row, if it is not 0
}

var errDamaged = errors.New("damaged")

func (g *graph) Len() int                  { return len(g.lists) }
func (g *graph) K() int                    { return g.k }
func (g *graph) Shown(key float32) float32 { return float32(math.Sqrt(float64(key))) }

func (g *graph) EachKeyed(fn func(row store.Row, neighbors []uint32, keys []float32) error) error {
	var neighbors []uint32
	var keys []float32
	for row := range g.lists {
		if g.fail > 0 && row == g.fail {
			return errDamaged
		}
		neighbors, keys = append(neighbors[:0], g.lists[row]...), append(keys[:0], g.keys[row]...)
		if err := fn(store.Row(row), neighbors, keys); err != nil {
			return err
		}
	}
	return nil
}

// randomGraph gives n rows k neighbors each; every tenth is isolated. The key of
// a pair depends on the pair alone; some are 0.
func randomGraph(rng *rand.Rand, n, k int) *graph {
	g := &graph{k: k, lists: make([][]uint32, n), keys: make([][]float32, n)}
	key := func(a, b int) float32 { return float32((a*b + a + b) % 7) }
	for row := range n {
		if k > 0 && row%10 == 9 {
			continue
		}
		var others []uint32
		for _, other := range rng.Perm(n) {
			if len(others) < k && other != row && other%10 != 9 {
				others = append(others, uint32(other))
			}
		}
		slices.SortFunc(others, func(a, b uint32) int {
			return cmp.Or(cmp.Compare(key(row, int(a)), key(row, int(b))), cmp.Compare(a, b))
		})
		g.lists[row] = others
		for _, other := range others {
			g.keys[row] = append(g.keys[row], key(row, int(other)))
		}
	}
	return g
}

// one entry of a graph, as a test compares them.
type cell struct {
	row, neighbor uint32
	distance      float32
}

// wanted lists the entries that an export must hold, by the definitions: row
// after row, by distance and neighbor.
func wanted(g *graph, o Options) (cells []cell) {
	listed := map[[2]uint32]float32{}
	for row, list := range g.lists {
		for i, n := range list {
			listed[[2]uint32{uint32(row), n}] = g.Shown(g.keys[row][i])
		}
	}
	for row := range uint32(g.Len()) {
		if o.Self && (g.k == 0 || len(g.lists[row]) > 0) {
			cells = append(cells, cell{row, row, 0})
		}
		begin := len(cells)
		for n := range uint32(g.Len()) {
			there, out := listed[[2]uint32{row, n}]
			back, in := listed[[2]uint32{n, row}]
			keep := out
			switch o.Symmetric {
			case Union:
				keep = out || in
			case Mutual:
				keep = out && in
			}
			if keep {
				cells = append(cells, cell{row, n, max(there, back)}) // equal where both are there
			}
		}
		slices.SortFunc(cells[begin:], func(a, b cell) int {
			return cmp.Or(cmp.Compare(a.distance, b.distance), cmp.Compare(a.neighbor, b.neighbor))
		})
	}
	return cells
}

func exported(t testing.TB, g Graph, o Options, name string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := Export(g, path, o); err != nil {
		t.Fatal(err)
	}
	return path
}

func readCSV(t *testing.T, g *graph, o Options) (cells []cell) {
	data, err := os.ReadFile(exported(t, g, o, "g.csv"))
	if err != nil {
		t.Fatal(err)
	}
	records, err := csv.NewReader(bytes.NewReader(data)).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	if strings.Join(records[0], ",") != "row,rank,neighbor,distance" {
		t.Fatalf("head %v", records[0])
	}
	rank := 0
	for i, r := range records[1:] {
		row, _ := strconv.ParseUint(r[0], 10, 32)
		neighbor, _ := strconv.ParseUint(r[2], 10, 32)
		distance, err := strconv.ParseFloat(r[3], 32)
		if err != nil {
			t.Fatal(err)
		}
		if rank++; i == 0 || r[0] != records[i][0] {
			rank = 1
			if o.Self {
				rank = 0
			}
		}
		if r[1] != strconv.Itoa(rank) {
			t.Fatalf("line %d: %v, want rank %d", i+2, r, rank)
		}
		cells = append(cells, cell{uint32(row), uint32(neighbor), float32(distance)})
	}
	return cells
}

// Every format, read back by readers of its own, holds what the definitions say.
func TestFormatsAgainstDefinitions(t *testing.T) {
	const seed = 4
	rng := rand.New(rand.NewPCG(seed, 0))
	for _, shape := range [][2]int{{1, 0}, {2, 1}, {40, 3}, {97, 20}} {
		g := randomGraph(rng, shape[0], min(shape[1], shape[0]-1))
		for _, self := range []bool{false, true} {
			for _, o := range []Options{{}, {Symmetric: Union}, {Symmetric: Mutual}, {Symmetric: Union, Memory: 1}, {Symmetric: Mutual, Memory: 1000}} {
				o.Self = self
				want := wanted(g, o)
				for f, read := range map[Format]func(*testing.T, *graph, Options) []cell{CSV: readCSV, NPZ: readNPZ} {
					o.Format = f
					if got := read(t, g, o); !slices.Equal(got, want) {
						t.Errorf("seed %d, %+v of %v:\n got %v\nwant %v", seed, o, shape, got, want)
					}
				}
			}
			o := Options{Self: self}
			for f, read := range map[Format]func(*testing.T, *graph, Options) fixed{NPY: readNPY, IBin: readIBin, IVecs: readIVecs, GT: readGT} {
				o.Format = f
				if err := read(t, g, o).differs(g, o); err != nil {
					t.Errorf("seed %d, %+v of %v: %v", seed, o, shape, err)
				}
			}
		}
	}
}

func TestValidateReportsEveryFault(t *testing.T) {
	o := Options{Format: "xlsx", Symmetric: "both", Memory: -1}
	err := o.Validate()
	for _, want := range []string{`format "xlsx"`, `symmetric "both"`, "needs npz, csv, graphml", "memory"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v: nothing of %q", err, want)
		}
	}
	if err := Export(&graph{}, filepath.Join(t.TempDir(), "g"), o); err == nil {
		t.Error("exported")
	}
}

// What is there stays, unless Force, and an export that fails leaves nothing.
func TestExportReplacesOnlyWhenAsked(t *testing.T) {
	g := randomGraph(rand.New(rand.NewPCG(1, 1)), 30, 3)
	for _, f := range Formats {
		dir, o := t.TempDir(), Options{Format: f}
		if f == METIS {
			o.Symmetric = Union
		}
		forced := o
		forced.Force = true
		path := filepath.Join(dir, "g.ibin")
		broken := *g
		broken.fail = 17
		if err := Export(&broken, path, o); !errors.Is(err, errDamaged) {
			t.Errorf("%s of a damaged graph: %v", f, err)
		}
		expectFiles(t, dir)
		for _, force := range []bool{false, true} { // nothing there yet: both do
			o.Force = force
			if err := Export(g, path, o); err != nil {
				t.Fatalf("%s: %v", f, err)
			}
		}
		before := contents(t, dir)
		o.Force = false
		if err := Export(g, path, o); !errors.Is(err, fs.ErrExist) || !strings.Contains(err.Error(), path) {
			t.Errorf("%s over another: %v", f, err)
		}
		if err := Export(&broken, path, forced); !errors.Is(err, errDamaged) {
			t.Errorf("%s of a damaged graph: %v", f, err)
		}
		if after := contents(t, dir); after != before {
			t.Errorf("%s: a failed export changed\n%s\nto\n%s", f, before, after)
		}
	}
}

func TestExportKeepsOtherKinds(t *testing.T) {
	g := randomGraph(rand.New(rand.NewPCG(1, 1)), 30, 3)
	dir := t.TempDir()
	if err := Export(g, dir, Options{Format: CSV, Force: true}); !errors.Is(err, fs.ErrExist) {
		t.Errorf("a file over a folder: %v", err)
	}
	letter := filepath.Join(dir, "letter")
	if err := os.WriteFile(letter, []byte("dear"), 0o666); err != nil {
		t.Fatal(err)
	}
	if err := Export(g, letter, Options{Format: NPY, Force: true}); !errors.Is(err, fs.ErrExist) {
		t.Errorf("a folder over a file: %v", err)
	}
	if err := Export(g, dir, Options{Format: NPY, Force: true}); err != nil {
		t.Errorf("into a folder: %v", err)
	}
	expectFiles(t, dir, "distances.npy", "indices.npy", "letter")
	if err := Export(g, filepath.Join(dir, "absent", "g.csv"), Options{Format: CSV}); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("into a folder that is not there: %v", err)
	}
	// What another left is no hindrance.
	left := filepath.Join(dir, "again.tmp")
	os.Mkdir(left, 0o777)
	os.WriteFile(filepath.Join(left, "indices.npy.tmp"), []byte("half"), 0o666)
	if err := Export(g, filepath.Join(dir, "again"), Options{Format: NPY}); err != nil {
		t.Error(err)
	}
	// Nor is it, or a file of that name that is the user's, touched.
	expectFiles(t, dir, "again", "again.tmp", "distances.npy", "indices.npy", "letter")
	expectFiles(t, left, "indices.npy.tmp")
	expectFiles(t, filepath.Join(dir, "again"), "distances.npy", "indices.npy")
}

// Row numbers that formats of 31 bits cannot hold are refused before a row is
// read.
func TestExportRefusesTooManyRows(t *testing.T) {
	for _, f := range []Format{GT, IBin, IVecs} {
		err := Export(&huge{}, filepath.Join(t.TempDir(), "g"), Options{Format: f})
		if err == nil || !strings.Contains(err.Error(), "2147483648 rows") {
			t.Errorf("%s: %v", f, err)
		}
	}
}

type huge struct{ graph }

func (*huge) Len() int { return 1 << 31 }

func expectFiles(t *testing.T, dir string, want ...string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, e := range entries {
		got = append(got, e.Name())
	}
	if !slices.Equal(got, want) {
		t.Errorf("%s holds %v, want %v", dir, got, want)
	}
}

// contents hashes nothing: files are small enough to compare as they are.
func contents(t *testing.T, dir string) string {
	t.Helper()
	var all strings.Builder
	err := filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		data, err := os.ReadFile(path)
		fmt.Fprintf(&all, "%s %x\n", path, data)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all.String()
}

// TestForceSparesOthers: force replaces the file that is named, and the one beside it
// only where that belongs to it.
func TestForceSparesOthers(t *testing.T) {
	dir := t.TempDir()
	g := randomGraph(rand.New(rand.NewPCG(1, 1)), 20, 3)
	lists, vectors := filepath.Join(dir, "photos.ibin"), filepath.Join(dir, "photos.fbin")
	if err := os.WriteFile(vectors, []byte("rows"), 0o666); err != nil {
		t.Fatal(err)
	}
	if err := Export(g, lists, Options{Format: IBin, Force: true}); err == nil || !strings.Contains(err.Error(), "something else's") {
		t.Errorf("error %v", err)
	}
	if text, err := os.ReadFile(vectors); err != nil || string(text) != "rows" {
		t.Errorf("the rows are %q, %v", text, err)
	}
	other := filepath.Join(dir, "lists.ibin")
	for range 2 {
		if err := Export(g, other, Options{Format: IBin, Force: true}); err != nil {
			t.Error(err)
		}
	}
}
