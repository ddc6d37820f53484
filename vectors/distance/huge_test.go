package distance_test

import (
	"encoding/binary"
	"math/bits"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/knng/knng/vectors"
	"github.com/knng/knng/vectors/distance"
)

// TestRowsBeyond32Bits: rows whose numbers, and whose bytes, are beyond 2^31 and
// 2^32 are found where they stand. The file has holes, and takes a few pages.
func TestRowsBeyond32Bits(t *testing.T) {
	if bits.UintSize < 64 {
		t.Skip("needs 64 bits of addresses")
	}
	const dim = 4
	var n int64 = 1<<31 + 7
	path := filepath.Join(t.TempDir(), "holes.u8bin")
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	head := binary.LittleEndian.AppendUint32(binary.LittleEndian.AppendUint32(nil, uint32(n)), dim)
	rows := []int64{0, 1<<30 + 1, 1<<31 - 1, 1 << 31, n - 1} // byte 2^32 and beyond from the second on
	if _, err = f.Write(head); err == nil {
		err = f.Truncate(8 + n*dim)
	}
	for i, row := range rows {
		if _, e := f.WriteAt([]byte{byte(i), 0, 0, 3}, 8+row*dim); e != nil {
			err = e
		}
	}
	if f.Close(); err != nil {
		t.Skipf("the file system makes no holes: %v", err)
	}
	in, err := vectors.Open([]string{path}, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	mapped, ok := in.Mapped()
	if !ok || int64(mapped.Len()) != n {
		t.Fatalf("mapped %v, %d rows", ok, in.Len())
	}
	space, err := distance.New(distance.Euclidean, vectors.Uint8, dim)
	if err != nil {
		t.Fatal(err)
	}
	ids, keys, raw := make([]uint32, len(rows)), make([]float32, len(rows)), make([]byte, dim)
	for i, row := range rows {
		ids[i] = uint32(row)
		want := []byte{byte(i), 0, 0, 3}
		if err := in.ReadRows(int(row), raw); err != nil || !slices.Equal(raw, want) || !slices.Equal(mapped.Row(int(row)), want) {
			t.Errorf("row %d: %v %v, want %v: %v", row, raw, mapped.Row(int(row)), want, err)
		}
	}
	space.Keys(mapped.Row(int(n-1)), 0, mapped.Base(), mapped.Stride(), nil, ids, keys)
	if want := []float32{16, 9, 4, 1, 0}; !slices.Equal(keys, want) {
		t.Errorf("keys %v, want %v", keys, want)
	}
	if err := in.ReadRows(int(n-1), make([]byte, 2*dim)); err == nil {
		t.Error("read beyond the last row")
	}
}
