package torture

import (
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// rows and dim are those of the inputs: small, so that a case takes a tenth of a second.
const (
	rows = 3000
	dim  = 8 // that the tree takes
)

// A plan of a build: its options, and the inputs that it may be given.
type build struct {
	Name string
	Args []string
}

var builds = []build{
	{"exact", []string{"-k", "5", "--method", "exact"}},
	{"balls", []string{"-k", "5", "--method", "balls", "--leaf-size", "100"}},
	{"parts", []string{"-k", "5", "--method", "parts"}},
	{"paper", []string{"-k", "5", "--method", "paper", "--leaf-size", "100"}},
	{"tree", []string{"-k", "5", "--method", "tree"}},
	{"ids", []string{"-k", "5", "--method", "balls", "--leaf-size", "100"}},
	{"reference", []string{"-k", "5", "--method", "exact", "--vectors", "reference"}},
}

// world is all that cases share: two inputs of one shape, queries, and of every build the
// finished stores of both inputs with the answers that they give.
type world struct {
	knng, base string
	patience   time.Duration
	golden     map[string]*golden // by name of build and input
}

// golden is a finished store that nobody touched.
type golden struct {
	dir     string
	gt      []byte            // its lists
	answers map[string]string // by probe
	took    time.Duration     // to build
}

// inputs are the names of the two inputs.
var inputs = []string{"a", "b"}

func (w *world) input(name string) string { return filepath.Join(w.base, name+".u8bin") }
func (w *world) ids(name string) string   { return filepath.Join(w.base, name+".ids") }

// args are those of a build of an input into a directory.
func (w *world) args(b build, input, dir string) []string {
	args := append([]string{"build", w.input(input), "-o", dir, "--quiet", "--progress", "none", "--search", "off"}, b.Args...)
	if b.Name == "ids" {
		args = append(args, "--ids", w.ids(input))
	}
	return args
}

// newWorld makes the inputs and builds all stores in a folder.
func newWorld(knng, base string, seed uint64, patience time.Duration) (*world, error) {
	w := &world{knng: knng, base: base, patience: patience, golden: map[string]*golden{}}
	if err := w.writeInputs(seed); err != nil {
		return nil, err
	}
	for _, b := range builds {
		for _, input := range inputs {
			if err := w.makeGolden(b, input); err != nil {
				return nil, fmt.Errorf("torture: %s of %s: %w", b.Name, input, err)
			}
		}
	}
	return w, nil
}

// writeInputs writes files that are the same, times too, whenever the seed is.
func (w *world) writeInputs(seed uint64) error {
	when := time.Unix(1_700_000_000, 0)
	write := func(path string, data []byte) error {
		if err := os.WriteFile(path, data, 0o666); err != nil {
			return err
		}
		return os.Chtimes(path, when, when)
	}
	for i, name := range append([]string{"queries"}, inputs...) {
		rng := rand.New(rand.NewPCG(seed, uint64(i)))
		n := rows
		if name == "queries" {
			n = 5
		}
		data := binary.LittleEndian.AppendUint32(nil, uint32(n))
		data = binary.LittleEndian.AppendUint32(data, dim)
		var ids strings.Builder
		for row := range n {
			center := float64(rng.IntN(8) * 24)
			for range dim {
				data = append(data, byte(max(0, min(255, 30+center+12*rng.NormFloat64()))))
			}
			fmt.Fprintf(&ids, "%s-%d\n", name, row)
		}
		if err := write(w.input(name), data); err != nil {
			return err
		}
		if err := write(w.ids(name), []byte(ids.String())); err != nil {
			return err
		}
	}
	return nil
}

// makeGolden builds a store, with all that is derived from one, and notes its answers.
func (w *world) makeGolden(b build, input string) error {
	home := filepath.Join(w.base, b.Name+"-"+input)
	if err := os.MkdirAll(home, 0o777); err != nil {
		return err
	}
	began := time.Now()
	for _, args := range [][]string{w.args(b, input, "s"), {"analyze", "s", "--search"}, {"analyze", "s", "--reverse"}} {
		if r := w.run(home, args...); r.Code != 0 && r.Code != exitShort {
			return fmt.Errorf("knng %s: exit %d: %s", strings.Join(args, " "), r.Code, r.Stderr)
		}
		if args[0] == "build" {
			w.golden[b.Name+input] = &golden{dir: filepath.Join(home, "s"), took: time.Since(began)}
		}
	}
	g := w.golden[b.Name+input]
	g.answers = map[string]string{}
	for _, p := range probes {
		r := w.run(home, w.expand(p.args, input)...)
		if r.Code != 0 {
			return fmt.Errorf("knng %s: exit %d: %s", strings.Join(p.args, " "), r.Code, r.Stderr)
		}
		g.answers[p.name] = p.answer(home, &r)
	}
	g.gt = []byte(g.answers[listsProbe])
	if len(g.gt) == 0 {
		return fmt.Errorf("no lists were exported")
	}
	return nil
}

// expand puts the names of files into the arguments of a probe.
func (w *world) expand(args []string, input string) []string {
	out := make([]string, len(args))
	for i, a := range args {
		out[i] = strings.NewReplacer("{queries}", w.input("queries"), "{input}", w.input(input)).Replace(a)
	}
	return out
}
