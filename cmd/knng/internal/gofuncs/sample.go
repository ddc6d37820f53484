package gofuncs

import (
	"bytes"
	"compress/gzip"
	"embed"
	"fmt"
	"io"
	"strings"
)

// sampled are the packages of the embedded sample: small, known to every Go programmer,
// and rich in twins.
var sampled = []string{
	"bufio", "bytes", "cmp", "compress/gzip", "compress/lzw", "compress/zlib", "container/...", "encoding/ascii85",
	"encoding/base32", "encoding/base64", "encoding/binary", "encoding/csv", "encoding/hex", "errors", "hash/...",
	"internal/bytealg", "internal/stringslite", "io", "maps", "math/bits", "path/...", "slices", "sort", "strconv",
	"strings", "sync", "unicode/...",
}

// The embedded files: the Go version and the IDs, a line each; the rows, in that order.
const (
	sampleIDs  = "sample/ids.gz"
	sampleRows = "sample/rows.gz"
)

//go:embed sample
var embedded embed.FS

// A Sample is some functions with their rows, for machines without a Go tree. A row is
// that of [Vectors], scaled so that its largest element is 127, and rounded.
type Sample struct {
	Version string // of Go
	IDs     []string
	Rows    []byte // Dim int8 elements each
}

// Embedded is the sample of the Go library that this program carries.
func Embedded() (*Sample, error) {
	text, err := unpacked(sampleIDs)
	if err != nil {
		return nil, err
	}
	rows, err := unpacked(sampleRows)
	if err != nil {
		return nil, err
	}
	lines := strings.Split(strings.TrimSuffix(string(text), "\n"), "\n")
	s := &Sample{Version: lines[0], IDs: lines[1:], Rows: rows}
	if len(s.Rows) != len(s.IDs)*Dim {
		return nil, fmt.Errorf("gofuncs: the embedded sample has %d bytes of rows, want %d for each of %d functions", len(s.Rows), Dim, len(s.IDs))
	}
	return s, nil
}

// Row is row i, a byte an element.
func (s *Sample) Row(i int) []byte { return s.Rows[i*Dim : (i+1)*Dim] }

func unpacked(name string) ([]byte, error) {
	packed, err := embedded.ReadFile(name)
	if err != nil {
		return nil, fmt.Errorf("gofuncs: %w", err)
	}
	r, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		return nil, fmt.Errorf("gofuncs: %s: %w", name, err)
	}
	data, err := io.ReadAll(r)
	if err != nil {
		return nil, fmt.Errorf("gofuncs: %s: %w", name, err)
	}
	return data, nil
}
