package recall

import (
	"context"
	"encoding/binary"
	"errors"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/knng/knng/vectors"
	"github.com/knng/knng/vectors/distance"
)

// writeMatrix writes two counts and then values of any fixed size.
func writeMatrix(t *testing.T, name string, n, k uint32, parts ...any) string {
	t.Helper()
	data := binary.LittleEndian.AppendUint32(binary.LittleEndian.AppendUint32(nil, n), k)
	for _, p := range parts {
		var err error
		if data, err = binary.Append(data, binary.LittleEndian, p); err != nil {
			t.Fatal(err)
		}
	}
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, data, 0o666); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestReadTruth(t *testing.T) {
	gt := writeMatrix(t, "x.gt", 2, 3, []int32{4, 5, 6, 7, 8, 0}, []float32{1, 2, 2, 0, 4, 9})
	rows := writeMatrix(t, "x.rows.ibin", 2, 1, []int32{3, 2})
	truth, err := ReadTruth(gt, rows)
	if err != nil {
		t.Fatal(err)
	}
	ids, distances := truth.List(1)
	if truth.K != 3 || !slices.Equal(truth.Rows, []uint32{3, 2}) || !slices.Equal(ids, []uint32{7, 8, 0}) || !slices.Equal(distances, []float32{0, 4, 9}) {
		t.Errorf("%+v", truth)
	}
	if truth, err = ReadTruth(gt, ""); err != nil || !slices.Equal(truth.Rows, []uint32{0, 1}) {
		t.Errorf("without rows: %v %v", truth, err)
	}
}

func TestReadTruthRefuses(t *testing.T) {
	inf := float32(math.Inf(1))
	good := writeMatrix(t, "x.gt", 1, 2, []int32{4, 5}, []float32{1, 2})
	for _, c := range []struct{ gt, rows, want string }{
		{filepath.Join(t.TempDir(), "absent.gt"), "", "absent.gt"},
		{writeMatrix(t, "x.gt", 1, 2, []int32{4, 5}, []float32{1}), "", "20 bytes, but 1 x 2 entries of 8 bytes"},
		{writeMatrix(t, "x.gt", 1<<31, 1<<31, []int32{4, 5}, []float32{1, 2}), "", "24 bytes, but 2147483648 x 2147483648 entries"},
		{writeMatrix(t, "x.gt", 0, 2), "", "8 bytes, but 0 x 2"},
		{writeMatrix(t, "x.gt", 1, 2, []int32{4, -1}, []float32{1, 2}), "", "list 0 (row 0), neighbor 1 at byte 12: row -1"},
		{writeMatrix(t, "x.gt", 1, 2, []int32{4, 4}, []float32{1, 2}), "", "row 4 for the second time"},
		{writeMatrix(t, "x.gt", 1, 2, []int32{4, 0}, []float32{1, 2}), "", "the row itself"},
		{writeMatrix(t, "x.gt", 1, 2, []int32{4, 5}, []float32{2, 1}), "", "distance 1 after 2"},
		{writeMatrix(t, "x.gt", 1, 2, []int32{4, 5}, []float32{2, inf}), "", "distance +Inf"},
		{good, writeMatrix(t, "r.ibin", 2, 1, []int32{1, 2}), "2 rows, but"},
		{good, writeMatrix(t, "r.ibin", 1, 2, []int32{1, 2}), "2 columns"},
		{good, writeMatrix(t, "r.ibin", 1, 1, []int32{-3}), "row -3 at byte 8"},
		{good, writeMatrix(t, "r.ibin", 1, 1, []int16{1}), "10 bytes"},
		{writeMatrix(t, "x.gt", 2, 1, []int32{4, 5}, []float32{1, 2}), writeMatrix(t, "r.ibin", 2, 1, []int32{1, 1}), "row 1 twice, at 0 and 1"},
	} {
		if _, err := ReadTruth(c.gt, c.rows); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("error %v, want one with %q", err, c.want)
		}
	}
	short := filepath.Join(t.TempDir(), "short.gt")
	os.WriteFile(short, []byte{1, 0, 0}, 0o666)
	if _, err := ReadTruth(short, ""); err == nil || !strings.Contains(err.Error(), "too short") {
		t.Errorf("three bytes: %v", err)
	}
	truth, err := ReadTruth(good, "")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		n, k int
		want string
	}{{9, 3, "lists of 2, too short"}, {5, 2, "row 5 at byte 12"}, {0, 1, "row 0, but the graph has 0"}} {
		if err := truth.Check(c.n, c.k); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("n=%d k=%d: %v, want %q", c.n, c.k, err, c.want)
		}
	}
}

// Squared and plain distances give the same recall, and Auto tells them apart,
// though both are rounded.
func TestTruthScales(t *testing.T) {
	keys := []float32{3, 7.1, 7.1000004, 10} // the third ties the second within rounding
	lookup := func(row uint32, n []uint32, k []float32) ([]uint32, []float32, error) {
		return append(n, 1, 2, 3, 4), append(k, keys...), nil
	}
	plain := make([]float32, 4)
	for i, k := range keys {
		plain[i] = float32(math.Sqrt(float64(k)))
	}
	for name, distances := range map[string][]float32{"squared": keys, "metric": plain} {
		truth, err := ReadTruth(writeMatrix(t, "x.gt", 1, 4, []int32{1, 2, 9, 8}, distances), "")
		if err != nil {
			t.Fatal(err)
		}
		explicit, err := ParseTruthDistances(name)
		if err != nil || explicit.String() != name {
			t.Fatal(explicit, err)
		}
		for _, mode := range []TruthDistances{Auto, explicit} {
			for k, want := range map[int]float64{1: 1, 2: 1, 3: 1, 4: 1} {
				per, err := truth.PerRow(10, k, distance.Euclidean, mode, lookup)
				if err != nil || per[0] != want {
					t.Errorf("%s distances, %v, k=%d: %v %v, want %v", name, mode, k, per, err, want)
				}
			}
		}
		if name == "metric" {
			if _, err := truth.PerRow(10, 4, distance.Cosine, Auto, lookup); !errors.Is(err, ErrScale) {
				t.Errorf("another metric: %v, want ErrScale", err)
			}
		}
		if _, err := truth.PerRow(10, 4, distance.IP, Squared, lookup); err == nil {
			t.Error("squared inner products accepted")
		}
	}
	if _, err := ParseTruthDistances("cubed"); err == nil {
		t.Error("cubed accepted")
	}
}

func TestTruthCountsWhatIsMissing(t *testing.T) {
	truth, err := ReadTruth(writeMatrix(t, "x.gt", 2, 2, []int32{5, 6, 7, 8}, []float32{1, 2, 1, 4}), "")
	if err != nil {
		t.Fatal(err)
	}
	lookup := func(row uint32, n []uint32, k []float32) ([]uint32, []float32, error) {
		if row == 0 {
			return append(n, 5, 9), append(k, 1, 2.01), nil
		}
		return append(n, 7, 4), append(k, 1, 4), nil // row 4 ties row 8
	}
	per, err := truth.PerRow(10, 2, distance.Euclidean, Auto, lookup)
	if err != nil || !slices.Equal(per, []float64{0.5, 1}) {
		t.Errorf("%v %v, want 0.5 and 1", per, err)
	}
	gone := errors.New("gone")
	_, err = truth.PerRow(10, 2, distance.Euclidean, Squared, func(uint32, []uint32, []float32) ([]uint32, []float32, error) { return nil, nil, gone })
	if !errors.Is(err, gone) {
		t.Errorf("%v, want the lookup's error", err)
	}
}

// dataFile finds a file of the real data.
func dataFile(t *testing.T, name string) string {
	t.Helper()
	dir := os.Getenv("KNNG_DATA")
	if dir == "" {
		dir = filepath.Join("..", "..", "..", "shared", "data")
	}
	path := filepath.Join(dir, name)
	if _, err := os.Stat(path); err != nil {
		t.Skipf("real data is absent: %v (set KNNG_DATA to its folder)", err)
	}
	return path
}

// Our exact lists and those of the truth files, which another program computed,
// agree: to the row where keys are integers.
func TestSearchAgainstTruthFiles(t *testing.T) {
	for _, set := range []struct {
		name, ext string
		sampled   int
	}{
		{"caltech101-sift-1M", ".u8bin", 20},
		{"mnist-70K", ".bvecs.gz", 50},
		{"cifar10-gist384-60K", ".npy", 100},
		{"lfw-lbp500-13K", ".npy", 200},
	} {
		t.Run(set.name, func(t *testing.T) {
			in, err := vectors.Open([]string{dataFile(t, set.name+set.ext)}, &vectors.OpenOptions{Scratch: t.TempDir()})
			if err != nil {
				t.Fatal(err)
			}
			defer in.Close()
			truth, err := ReadTruth(dataFile(t, set.name+".gt"), dataFile(t, set.name+".rows.ibin"))
			if err != nil {
				t.Fatal(err)
			}
			truth.Rows = truth.Rows[:set.sampled]
			truth.Neighbors, truth.Distances = truth.Neighbors[:set.sampled*truth.K], truth.Distances[:set.sampled*truth.K]
			agrees(t, in, truth)
		})
	}
}

func agrees(t *testing.T, in vectors.Source, truth *Truth) {
	space, err := distance.New(distance.Euclidean, in.Type(), in.Dim())
	if err != nil {
		t.Fatal(err)
	}
	lists, _, err := Search{K: truth.K, Threads: 2}.Rows(context.Background(), in, space, truth.Rows)
	if err != nil {
		t.Fatal(err)
	}
	for i, row := range truth.Rows {
		ids, keys := lists.List(i)
		wantIDs, wantKeys := truth.List(i)
		if in.Type() == vectors.Uint8 && (!slices.Equal(ids, wantIDs) || !slices.Equal(keys, wantKeys)) {
			t.Fatalf("row %d:\n got %v %v\nwant %v %v", row, ids, keys, wantIDs, wantKeys)
		}
	}
	at := map[uint32]int{}
	for i, row := range truth.Rows {
		at[row] = i
	}
	for _, k := range []int{1, 20, truth.K} {
		per, err := truth.PerRow(in.Len(), k, distance.Euclidean, Auto, func(row uint32, n []uint32, ks []float32) ([]uint32, []float32, error) {
			ids, keys := lists.List(at[row])
			return append(n, ids[:k]...), append(ks, keys[:k]...), nil
		})
		if err != nil {
			t.Fatal(err)
		}
		if mean, low, _ := Interval(per, len(per), 1); mean != 1 || low != 1 {
			t.Errorf("recall@%d of exact lists is %v", k, mean)
		}
	}
}
