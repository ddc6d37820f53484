package main

import (
	"encoding/binary"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestSufficing: the least that a plan names is enough when it is given.
func TestSufficing(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	rng := rand.New(rand.NewPCG(seed, 1))
	for range 1000 {
		need := rng.Int64N(1 << (20 + rng.IntN(20)))
		given, err := parseSize(strings.ReplaceAll(sufficing(need), " ", ""))
		if err != nil {
			t.Fatal(err)
		}
		if given < need || given > need+1<<18 {
			t.Errorf("%d bytes are needed, %s are %d", need, sufficing(need), given)
		}
	}
}

// TestPlanWhole: where auto takes parts, a plan names balls if memory suffices for them.
func TestPlanWhole(t *testing.T) {
	path := filepath.Join(t.TempDir(), "zeros.u8bin")
	const rows, dim = 8_000_000, 128 // a hole: it takes no disk
	header := binary.LittleEndian.AppendUint32(binary.LittleEndian.AppendUint32(nil, rows), dim)
	if err := os.WriteFile(path, header, 0o666); err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(path, 8+rows*dim); err != nil {
		t.Fatal(err)
	}
	planned := func(memory string) string {
		var out strings.Builder
		if code := run([]string{"plan", path, "-k", "20", "--memory", memory}, nil, &out, io.Discard); code != 0 {
			t.Fatalf("exit %d", code)
		}
		return out.String()
	}
	const told = "--method balls would take"
	if out := planned("500MiB"); strings.Contains(out, told) || !strings.Contains(out, "method parts") {
		t.Errorf("with little memory: %s", out)
	}
	if out := planned("64GiB"); !strings.Contains(out, told) || !strings.Contains(out, "method parts") {
		t.Errorf("with much memory: %s", out)
	}
}
