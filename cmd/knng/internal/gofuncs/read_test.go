package gofuncs

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
)

// shop is a tree whose file names say what is left out.
var shop = filepath.Join("testdata", "goroot")

func read(t testing.TB, root string, opts Options) []Function {
	t.Helper()
	functions, err := Read(context.Background(), root, opts)
	if err != nil {
		t.Fatal(err)
	}
	return functions
}

func ids(functions []Function) []string {
	var all []string
	for _, f := range functions {
		all = append(all, f.ID)
	}
	return all
}

func TestIDs(t *testing.T) {
	want := []string{
		"shop.openDoor (door_linux.go)", "shop.only_linux",
		"shop.openDoor (door_plan9.go)", "shop.only_plan9",
		"shop.(*Basket).AddItem", "shop.Basket.Total", "shop.(*Pile).Push",
		"shop.init (shop.go:34)", "shop.init (shop.go:36)",
		"shop/till.Total",
	}
	if got := ids(read(t, shop, Options{})); !slices.Equal(got, want) {
		t.Errorf("got %q\nwant %q", got, want)
	}
}

func TestPackages(t *testing.T) {
	for pattern, want := range map[string]int{"shop": 9, "shop/till": 1, "shop/...": 10} {
		if got := len(read(t, shop, Options{Packages: []string{pattern}})); got != want {
			t.Errorf("%s: %d functions, want %d", pattern, got, want)
		}
	}
	_, err := Read(context.Background(), shop, Options{Packages: []string{"sho"}})
	if err == nil || !strings.Contains(err.Error(), "no functions") {
		t.Errorf("unknown package: %v", err)
	}
}

func TestReadErrors(t *testing.T) {
	if _, err := Read(context.Background(), t.TempDir(), Options{}); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("no tree: %v", err)
	}
	broken := t.TempDir()
	file := filepath.Join(broken, "src", "broken", "broken.go")
	if err := errors.Join(os.MkdirAll(filepath.Dir(file), 0o755), os.WriteFile(file, []byte("package broken\nfunc ("), 0o644)); err != nil {
		t.Fatal(err)
	}
	if _, err := Read(context.Background(), broken, Options{}); err == nil || !strings.Contains(err.Error(), "broken/broken.go:2") {
		t.Errorf("broken file: %v", err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := Read(ctx, shop, Options{}); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}

func TestSameWithAnyThreads(t *testing.T) {
	want := read(t, shop, Options{Threads: 1})
	rows := Vectors(want, 64, 1)
	for _, threads := range []int{0, 2, 7, 64} {
		got := read(t, shop, Options{Threads: threads})
		if !reflect.DeepEqual(got, want) {
			t.Errorf("%d threads: other functions", threads)
		}
		if !slices.Equal(Vectors(got, 64, threads), rows) {
			t.Errorf("%d threads: other rows", threads)
		}
	}
}

// TestLinkedSources: some distributions keep the library apart and link it.
func TestLinkedSources(t *testing.T) {
	tree := t.TempDir()
	whole, err := filepath.Abs(filepath.Join(shop, "src"))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(whole, filepath.Join(tree, "src")); err != nil {
		t.Skip(err)
	}
	if got, want := read(t, tree, Options{}), read(t, shop, Options{}); len(got) != len(want) {
		t.Errorf("%d functions, want %d", len(got), len(want))
	}
}

func TestRoot(t *testing.T) {
	root, err := FindRoot(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	if !strings.HasPrefix(root.Version, "go") && !strings.HasPrefix(root.Version, "devel") {
		t.Errorf("version %q", root.Version)
	}
	if _, err := os.Stat(filepath.Join(root.Dir, "src", "bytes")); err != nil {
		t.Error(err)
	}
}

func TestRootWithoutGo(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	t.Setenv("GOROOT", "")
	if _, err := FindRoot(context.Background()); err == nil || !strings.Contains(err.Error(), "GOROOT is not set, and no go command tells") {
		t.Errorf("neither: %v", err)
	}
	t.Setenv("GOROOT", shop)
	if _, err := FindRoot(context.Background()); err == nil || !strings.Contains(err.Error(), "no library sources") {
		t.Errorf("no sources: %v", err)
	}
	tree := t.TempDir()
	if err := errors.Join(os.MkdirAll(filepath.Join(tree, "src", "strings"), 0o755),
		os.WriteFile(filepath.Join(tree, "VERSION"), []byte("go0.1\ntime 2026\n"), 0o644)); err != nil {
		t.Fatal(err)
	}
	t.Setenv("GOROOT", tree)
	if root, err := FindRoot(context.Background()); err != nil || root != (Root{Dir: tree, Version: "go0.1"}) {
		t.Errorf("GOROOT only: %+v, %v", root, err)
	}
}
