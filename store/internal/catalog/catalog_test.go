package catalog

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/knng/knng/store/internal/rooted"
	"github.com/knng/knng/store/internal/sealed"
)

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// contents are those of a graph whose rows have ids and whose vectors lie in order.
func contents(ids []string, order []uint32) *Contents {
	c := &Contents{Rows: len(ids), HasIDs: true, Records: map[string]json.RawMessage{"manifest": json.RawMessage(`{"rows":5}`)}}
	c.EachIDs = func(fn func([]byte) error) error {
		for part := range slices.Chunk(ids, IDsPerBlock) {
			var block []byte
			for _, id := range part {
				block = append(binary.AppendUvarint(block, uint64(len(id))), id...)
			}
			if err := fn(block); err != nil {
				return err
			}
		}
		return nil
	}
	c.EachByID = func(fn func(uint32) error) error {
		rows := make([]uint32, len(ids))
		for row := range rows {
			rows[row] = uint32(row)
		}
		slices.SortFunc(rows, func(a, b uint32) int { return strings.Compare(ids[a], ids[b]) })
		for _, row := range rows {
			if err := fn(row); err != nil {
				return err
			}
		}
		return nil
	}
	c.EachRow = func(fn func(int, uint32) error) error {
		for place, row := range order {
			if err := fn(place, row); err != nil {
				return err
			}
		}
		return nil
	}
	return c
}

// home makes a sealed directory without files, with the catalog data in it.
func home(t testing.TB, data []byte) *sealed.Dir {
	t.Helper()
	dir := t.TempDir()
	must(t, os.WriteFile(filepath.Join(dir, sealed.SealName), sealed.Text(nil), 0o666))
	must(t, os.WriteFile(filepath.Join(dir, Name), data, 0o666))
	root, err := rooted.Open(dir)
	must(t, err)
	d, err := sealed.Open(root)
	must(t, err)
	t.Cleanup(func() { d.Close() })
	return d
}

func written(t testing.TB, c *Contents) []byte {
	t.Helper()
	var b bytes.Buffer
	must(t, Write(&b, c))
	return append(b.Bytes(), Trailer(sha256.Sum256(sealed.Text(nil)))...)
}

// TestCatalog compares lookups with slices and a map.
func TestCatalog(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	rng := rand.New(rand.NewPCG(seed, 1))
	for _, n := range []int{0, 1, 2, 63, 64, 65, 1021, 1022, 1023, 5000} {
		ids := make([]string, n)
		for row, i := range rng.Perm(n) {
			ids[row] = fmt.Sprintf("%x%s", i, strings.Repeat("x", rng.IntN(20)*rng.IntN(2)))
		}
		var order []uint32
		for _, row := range rng.Perm(n) {
			if rng.IntN(5) > 0 {
				order = append(order, uint32(row))
			}
		}
		c, err := Open(home(t, written(t, contents(ids, order))))
		must(t, err)
		places := map[int]int{}
		for place, row := range order {
			places[int(row)] = place
		}
		for row, want := range ids {
			if id, err := c.AppendID([]byte("id "), row); err != nil || string(id) != "id "+want {
				t.Fatalf("row %d has id %q, want %q, %v", row, id, want, err)
			}
			if back, ok, err := c.Row(want); err != nil || !ok || back != row {
				t.Fatalf("id %q is of row %d, %v, want %d, %v", want, back, ok, row, err)
			}
			place, ok, err := c.Place(row)
			if want, has := places[row]; err != nil || ok != has || ok && place != want {
				t.Fatalf("row %d has place %d, %v, want %d, %v, %v", row, place, ok, want, has, err)
			}
		}
		for _, id := range []string{"", "0y", "zzz", "\xff"} {
			if row, ok, err := c.Row(id); ok || err != nil {
				t.Errorf("id %q is of row %d, %v", id, row, err)
			}
		}
		must(t, c.Close())
	}
}

// TestCatalogInOrder: if all vectors lie in the order of the rows, no places are kept.
func TestCatalogInOrder(t *testing.T) {
	data := written(t, contents([]string{"b", "a"}, []uint32{0, 1}))
	c, err := Open(home(t, data))
	must(t, err)
	defer c.Close()
	if place, ok, err := c.Place(1); c.h.places != 0 || place != 1 || !ok || err != nil {
		t.Errorf("%d places, row 1 has place %d, %v, %v", c.h.places, place, ok, err)
	}
}

// TestCatalogOfAnotherSeal is refused, and one of another version passed over.
func TestCatalogOfAnotherSeal(t *testing.T) {
	data := written(t, contents([]string{"b", "a"}, nil))
	other := append(bytes.Clone(data[:len(data)-trailerBytes]), Trailer([32]byte{1})...)
	if _, err := Open(home(t, other)); err == nil || !strings.Contains(err.Error(), "another seal") || !strings.Contains(err.Error(), "analyze --view") {
		t.Errorf("another seal: %v", err)
	}
	data[8]++
	if c, err := Open(home(t, data)); c != nil || err != nil {
		t.Errorf("another version: %v, %v", c, err)
	}
}

var update = flag.Bool("update", false, "write testdata/catalog.golden anew")

// TestGolden holds version 1 of the format to the byte: rows of 16 bytes, without zeros.
func TestGolden(t *testing.T) {
	data := written(t, contents([]string{"owl", "", "älg", "cat"}, []uint32{3, 0, 2}))
	var text bytes.Buffer
	for at := 0; at < len(data); at += 16 {
		if line := data[at:min(at+16, len(data))]; len(bytes.Trim(line, "\x00")) > 0 {
			fmt.Fprintf(&text, "%6d  % x\n", at, line)
		}
	}
	path := filepath.Join("testdata", "catalog.golden")
	if *update {
		must(t, os.WriteFile(path, text.Bytes(), 0o666))
	}
	want, err := os.ReadFile(path)
	must(t, err)
	if text.String() != string(want) {
		t.Errorf("the format changed:\n%s", text.String())
	}
}

// FuzzCatalog changes a sound catalog: a lookup answers as before or fails.
func FuzzCatalog(f *testing.F) {
	ids := []string{"owl", "", "älg", "cat", "dog"}
	sound := written(f, contents(ids, []uint32{3, 0, 2}))
	for _, at := range []int{8, 12, 16, 24, 32, 40, 48, 60, pageBytes, pageBytes + 8, 2 * pageBytes, 3 * pageBytes, 4 * pageBytes, len(sound) - 20} {
		f.Add(uint32(at), []byte{sound[at] ^ 1})
	}
	dir := home(f, sound)
	f.Fuzz(func(t *testing.T, at uint32, data []byte) {
		changed := bytes.Clone(sound)
		if int(at) <= len(changed) {
			changed = append(changed[:at], data...)
			changed = append(changed, sound[min(len(changed), len(sound)):]...)
		}
		must(t, os.WriteFile(dir.Path(Name), changed, 0o666))
		c, err := Open(dir)
		if err != nil || c == nil {
			return
		}
		defer c.Close()
		if c.Rows() != len(ids) {
			t.Fatalf("%d rows", c.Rows())
		}
		for row, want := range ids {
			if id, err := c.AppendID(nil, row); err == nil && string(id) != want {
				t.Errorf("row %d has id %q, want %q", row, id, want)
			}
			if back, ok, err := c.Row(want); err == nil && (!ok || back != row) {
				t.Errorf("id %q is of row %d, %v", want, back, ok)
			}
			place, ok, err := c.Place(row)
			if want := slices.Index([]int{3, 0, 2}, row); err == nil && (ok != (want >= 0) || ok && place != want) {
				t.Errorf("row %d has place %d, %v, want %d", row, place, ok, want)
			}
		}
	})
}
