package main

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/knng/knng/builder"
	"github.com/knng/knng/vectors"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){
		"knng":      main,
		"makerows":  makeRows,
		"makearray": makeArray,
		"firstrows": firstRows,
		"breakfile": breakFile,

		"samereport": sameReport,
		"leavebuild": leaveBuild,
		"makewide":   makeWide,

		"makesparse": makeSparse,
	})
}

func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{Dir: filepath.Join("testdata", "script")})
}

// firstRows is a command of the scripts: firstrows FILE M writes the numbers 0 to M-1 as
// rows of exact lists.
func firstRows() {
	m, _ := strconv.Atoi(os.Args[2])
	data := binary.LittleEndian.AppendUint32(binary.LittleEndian.AppendUint32(nil, uint32(m)), 1)
	for row := range m {
		data = binary.LittleEndian.AppendUint32(data, uint32(row))
	}
	if err := os.WriteFile(os.Args[1], data, 0o666); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// sameReport is a command of the scripts: samereport A B fails unless two reports of analyze, as JSON, differ in no more than
// the names of their graphs and what analyze adds for those that were written to.
func sameReport() {
	var reports [2]map[string]any
	for i := range reports {
		data, err := os.ReadFile(os.Args[i+1])
		if err == nil {
			err = json.Unmarshal(data, &reports[i])
		}
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		for _, name := range []string{"dir", "living", "renumbered"} {
			delete(reports[i], name)
		}
	}
	if !reflect.DeepEqual(reports[0], reports[1]) {
		fmt.Fprintf(os.Stderr, "%v\n%v\n", reports[0], reports[1])
		os.Exit(1)
	}
}

// makeWide is a command of the scripts: makewide WHOLE WIDE FURTHER writes whole numbers of which float32 does not hold one,
// rows of float64 that it does not tell apart, and rows of which one is too far from these.
func makeWide() {
	near := binary.LittleEndian.AppendUint64
	var wide, further []byte
	for i := range 20 {
		wide = near(wide, math.Float64bits(1e9+1e-4*float64(i*i%7+i)))
	}
	further = near(near(further, math.Float64bits(1e9)), math.Float64bits(1e300))
	var whole []byte
	for _, x := range []uint32{1, 1<<24 + 1} {
		whole = binary.LittleEndian.AppendUint32(whole, x)
	}
	for i, data := range []struct {
		descr string
		rows  int
		data  []byte
	}{{"<i4", 2, whole}, {"<f8", 20, wide}, {"<f8", 2, further}} {
		if err := os.WriteFile(os.Args[i+1], append([]byte(npyHeader(data.descr, data.rows, 1)), data.data...), 0o666); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
	}
}

// leaveBuild is a command of the scripts: leavebuild FILE DIR begins a build with k 2 and leaves it at its first event.
func leaveBuild() {
	ctx, stop := context.WithCancel(context.Background())
	defer stop()
	in, err := vectors.Open(os.Args[1:2], nil)
	if err == nil {
		defer in.Close()
		_, err = builder.Build(ctx, os.Args[2], in, builder.Options{K: 2, Progress: func(builder.Event) { stop() }})
	}
	if !errors.Is(err, context.Canceled) {
		fmt.Fprintln(os.Stderr, "not left:", err)
		os.Exit(1)
	}
}

// breakFile is a command of the scripts: breakfile FILE [BYTE] changes a bit of a byte of a file, by default of the middle one.
func breakFile() {
	data, err := os.ReadFile(os.Args[1])
	if err == nil {
		at := len(data) / 2
		if len(os.Args) > 2 {
			at, err = strconv.Atoi(os.Args[2])
		}
		data[at] ^= 1
	}
	if err == nil {
		err = os.WriteFile(os.Args[1], data, 0o666)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// makeRows is a command of the scripts: makerows FILE N DIM [WHAT] writes N rows
// of clustered values; WHAT is nan, zero, equal or large.
func makeRows() {
	n, _ := strconv.Atoi(os.Args[2])
	dim, _ := strconv.Atoi(os.Args[3])
	what := ""
	if len(os.Args) > 4 {
		what = os.Args[4]
	}
	if err := writeSome(os.Args[1], n, dim, what); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// makeArray is a command of the scripts: makearray FILE DESCR SHAPE writes a .npy
// file of one element of 4 bytes.
func makeArray() {
	header := fmt.Sprintf("{'descr': '%s', 'fortran_order': False, 'shape': %s, }", os.Args[2], os.Args[3])
	header += strings.Repeat(" ", 127-10-len(header)) + "\n"
	if err := os.WriteFile(os.Args[1], []byte("\x93NUMPY\x01\x00\x76\x00"+header+"\x00\x00\x00\x00"), 0o666); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func writeSome(path string, n, dim int, what string) error {
	typ := map[string]vectors.Type{".bvecs": vectors.Uint8, ".u8bin": vectors.Uint8}[filepath.Ext(path)]
	if typ == 0 {
		typ = vectors.Float32
	}
	w, err := vectors.Create(path, typ, dim)
	if err != nil {
		return err
	}
	rng := rand.New(rand.NewPCG(1, 1))
	row := make([]float32, dim)
	for i := range n {
		for j := range row {
			row[j] = float32(20*(i%10) + rng.IntN(30))
			switch {
			case what == "equal":
				row[j] = 7
			case what == "large":
				row[j] *= 1e30
			case what == "nan" && i == 5 && j == 1:
				row[j] = float32(math.NaN())
			case what == "zero" && i == 6:
				row[j] = 0
			}
		}
		if err := w.AppendFloat32(row, ""); err != nil {
			return err
		}
	}
	return w.Close()
}

func TestSizes(t *testing.T) {
	for s, want := range map[string]int64{"": 0, "1000": 1000, "512MiB": 512 << 20, "2G": 2 << 30, "1.5gb": 3 << 29, "64k": 64 << 10} {
		if got, err := parseSize(s); err != nil || got != want {
			t.Errorf("%q: %d %v, want %d", s, got, err, want)
		}
	}
	for _, s := range []string{"x", "-1", "5X", "0", "1e30T"} {
		if got, err := parseSize(s); err == nil {
			t.Errorf("%q: %d, want an error", s, got)
		}
	}
}

// gtHeader reads n and k of a gt file.
func gtHeader(path string) (n, k uint32, err error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return 0, 0, err
	}
	return binary.LittleEndian.Uint32(data), binary.LittleEndian.Uint32(data[4:]), nil
}

// full is a disk without room.
type full struct{}

func (full) Write([]byte) (int, error) { return 0, syscall.ENOSPC }

// TestMoreExitCodes: those that scripts do not see.
func TestMoreExitCodes(t *testing.T) {
	dir := t.TempDir()
	rows, graph := filepath.Join(dir, "x.npy"), filepath.Join(dir, "x.knng")
	if err := writeSome(rows, 300, 4, ""); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		args []string
		out  io.Writer
		want int
	}{
		{[]string{"build", rows, "-o", graph, "-k", "6", "--quiet"}, io.Discard, exitDone},
		{[]string{"dump", graph, "nonsense"}, io.Discard, exitUsage},
		{[]string{"convert", rows, "-o", filepath.Join(dir, "x.png")}, io.Discard, exitUsage},
		{[]string{"convert", rows, "-o", filepath.Join(dir, "absent", "y.npy")}, io.Discard, exitFailed},
		{[]string{"build", rows, rows, "-o", filepath.Join(dir, "y"), "--vectors", "reference"}, io.Discard, exitUsage},
	} {
		if code := run(c.args, nil, c.out, io.Discard); code != c.want {
			t.Errorf("%v: exit code %d, want %d", c.args, code, c.want)
		}
	}
}

// TestFullStdout: a stdout without room has one exit code, whatever the command prints and however.
func TestFullStdout(t *testing.T) {
	t.Chdir(t.TempDir())
	if err := errors.Join(writeSome("x.npy", 300, 4, ""), writeSome("y.npy", 9, 4, "")); err != nil {
		t.Fatal(err)
	}
	if code := run(strings.Fields("build x.npy -o g -k 6 --quiet"), nil, io.Discard, os.Stderr); code != exitDone {
		t.Fatalf("exit code %d", code)
	}
	for _, command := range []string{
		"neighbors g 1", "dump g", "dump g manifest", "dump g row/1", "dump g block/1", "dump g place/1", "dump g seal", "info g", "check g", "recall g", "analyze g",
		"search g y.npy", "search g --row 0", "plan x.npy", "export g -o g.csv", "convert x.npy -o z.npy", "backup g -o b", "refine g -o r --distance rank-order",
		"merge g -o m", "version", "exit-codes", "help", "help build", "build --help", "--version", "completion", "completion bash",
		"neighbors g 1 --json", "dump g --json", "info g --json", "search g y.npy --json", "export g -o j.csv --json", "build x.npy -o g -k 6 --json",
		"append g y.npy --json", "delete g 0 --json", "append g y.npy", "delete g 1", "neighbors g 2", "search g y.npy --json", "info g", "export g -o h.csv", "compact g",
	} {
		var errs bytes.Buffer
		if code := run(strings.Fields(command), nil, full{}, &errs); code != exitResumable || !strings.Contains(errs.String(), "stdout: no space left on device") {
			t.Errorf("%s: exit code %d, want %d: %s", command, code, exitResumable, &errs)
		}
	}
}

// TestNothingLeft: a build that is refused before it is begun leaves no folder, though its
// rows came by a stream, which has one.
func TestNothingLeft(t *testing.T) {
	dir := t.TempDir()
	rows, graph := filepath.Join(dir, "x.npy"), filepath.Join(dir, "x.knng")
	if err := writeSome(rows, 300, 4, ""); err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(rows)
	if err != nil {
		t.Fatal(err)
	}
	var packed bytes.Buffer
	w := gzip.NewWriter(&packed)
	w.Write(data)
	w.Close()
	if err := os.WriteFile(rows+".gz", packed.Bytes(), 0o666); err != nil {
		t.Fatal(err)
	}
	if code := run([]string{"build", rows + ".gz", "-o", graph, "--vectors", "reference"}, nil, io.Discard, io.Discard); code != exitUsage {
		t.Errorf("exit code %d, want %d", code, exitUsage)
	}
	if _, err := os.Stat(graph); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("%s is there: %v", graph, err)
	}
	others := filepath.Join(dir, "y.knng") // a build that goes on has its scratch beside other files
	if err := errors.Join(os.MkdirAll(filepath.Join(others, "scratch"), 0o777), os.WriteFile(filepath.Join(others, "kv"), nil, 0o666)); err != nil {
		t.Fatal(err)
	}
	if code := run([]string{"build", rows, "-o", others}, nil, io.Discard, io.Discard); code == exitDone {
		t.Error("built into a folder of other files")
	}
	if _, err := os.Stat(filepath.Join(others, "scratch")); err != nil {
		t.Errorf("the scratch of another build: %v", err)
	}
	if code := run([]string{"build", rows + ".gz", "-o", graph, "-k", "6", "--quiet"}, nil, io.Discard, os.Stderr); code != exitDone {
		t.Errorf("exit code %d, want %d", code, exitDone)
	}
}

func TestExportMatchesChecksum(t *testing.T) {
	dir := t.TempDir()
	rows, graph, gt := filepath.Join(dir, "x.npy"), filepath.Join(dir, "x.knng"), filepath.Join(dir, "x.gt")
	if err := writeSome(rows, 300, 4, ""); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{{"build", rows, "-o", graph, "-k", "6", "--quiet"}, {"export", graph, "--format", "gt", "-o", gt}} {
		if code := run(args, nil, os.Stdout, os.Stderr); code != exitDone {
			t.Fatalf("%v: exit code %d", args, code)
		}
	}
	if n, k, err := gtHeader(gt); n != 300 || k != 6 || err != nil {
		t.Errorf("gt of %d rows, k %d, %v", n, k, err)
	}
}
