package gofuncs

import (
	"bytes"
	"compress/gzip"
	"math"
	"os"
	"slices"
	"strings"
	"testing"
)

// made computes the sample from a Go tree.
func made(t *testing.T) *Sample {
	root, err := FindRoot(t.Context())
	if err != nil {
		t.Skip(err)
	}
	functions := read(t, root.Dir, Options{Packages: sampled})
	s := &Sample{Version: root.Version}
	rows := Vectors(functions, Dim, 0)
	for i, f := range functions {
		s.IDs = append(s.IDs, f.ID)
		s.Rows = append(s.Rows, rounded(rows[i*Dim:(i+1)*Dim])...)
	}
	return s
}

// rounded scales a row to int8.
func rounded(row []float32) []byte {
	most := float32(0)
	for _, x := range row {
		most = max(most, x, -x)
	}
	out := make([]byte, len(row))
	for i, x := range row {
		out[i] = byte(int8(math.RoundToEven(float64(x / most * 127))))
	}
	return out
}

// TestEmbeddedSample compares the embedded sample with the library it was made of, where
// that is here. KNNG_UPDATE=1 makes it anew.
func TestEmbeddedSample(t *testing.T) {
	if os.Getenv("KNNG_UPDATE") != "" {
		s := made(t)
		pack(t, sampleIDs, []byte(s.Version+"\n"+strings.Join(s.IDs, "\n")+"\n"))
		pack(t, sampleRows, s.Rows)
		return
	}
	got, err := Embedded()
	if err != nil {
		t.Fatal(err)
	}
	for _, id := range []string{"bytes.Index", "strings.Index", "strings.(*Builder).WriteString", "sort.Sort"} {
		if !slices.Contains(got.IDs, id) {
			t.Errorf("the sample has no %s", id)
		}
	}
	for i := range got.IDs {
		if slices.Max(got.Row(i)) == 0 {
			t.Errorf("%s has a row of zeros", got.IDs[i])
		}
	}
	want := made(t)
	if want.Version != got.Version {
		t.Skipf("this is %s, the sample is of %s", want.Version, got.Version)
	}
	if !slices.Equal(got.IDs, want.IDs) || !bytes.Equal(got.Rows, want.Rows) {
		t.Errorf("the sample is not that of %s: KNNG_UPDATE=1 go test -run EmbeddedSample makes it anew", want.Version)
	}
}

func pack(t *testing.T, name string, data []byte) {
	var packed bytes.Buffer
	w, err := gzip.NewWriterLevel(&packed, gzip.BestCompression)
	if err == nil {
		_, err = w.Write(data)
	}
	if err == nil {
		err = w.Close()
	}
	if err == nil {
		err = os.WriteFile(name, packed.Bytes(), 0o666)
	}
	if err != nil {
		t.Fatal(err)
	}
}
