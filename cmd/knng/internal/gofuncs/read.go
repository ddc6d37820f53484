package gofuncs

import (
	"context"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
)

// ErrNone says that the packages asked for have no functions, or are not there.
var ErrNone = errors.New("gofuncs: no functions")

// A Function is a function or method with a body.
type Function struct {
	ID   string // unique: strings.Index, bytes.(*Buffer).Write, os.Getpagesize (types.go)
	File string // relative to GOROOT/src, with slashes
	Line int
	// Terms are compared between functions; they are in ascending order of hash.
	Terms []Term
}

// Options of Read. The zero value reads the whole library.
type Options struct {
	Packages []string // import paths, or "net/..." for net and all below it; none is all
	Threads  int      // 0 is GOMAXPROCS
}

// minTokens is how many tokens a body needs, braces not counted. Below it are
// getters and empty bodies, which say nothing but their name; above it already
// "return stringslite.Index(s, substr)", which must be found.
const minTokens = 6

// Read returns the functions of the library below root, in the order of file
// and line. Tests, generated files, testdata, vendored packages and the go
// command (cmd/...) are left out; files for other systems are not.
func Read(ctx context.Context, root string, opts Options) ([]Function, error) {
	files, err := list(filepath.Join(root, "src"), opts.Packages)
	if err != nil {
		return nil, err
	}
	found := make([][]Function, len(files))
	errs := make([]error, len(files))
	parallel(len(files), opts.Threads, func(i int) {
		if errs[i] = ctx.Err(); errs[i] == nil {
			found[i], errs[i] = parse(filepath.Join(root, "src"), files[i])
		}
	})
	var all []Function
	for i, functions := range found {
		if errs[i] != nil {
			return nil, errs[i]
		}
		all = append(all, functions...)
	}
	if len(all) == 0 {
		return nil, fmt.Errorf("%w in %s of packages %q", ErrNone, filepath.Join(root, "src"), opts.Packages)
	}
	distinguish(all)
	return all, nil
}

// list returns the library's files, relative to src, in lexical order.
func list(src string, packages []string) ([]string, error) {
	var files []string
	if real, err := filepath.EvalSymlinks(src); err == nil { // some distributions link it, and a walk follows no link
		src = real
	}
	err := filepath.WalkDir(src, func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(src, name)
		if err != nil {
			return err
		}
		rel = filepath.ToSlash(rel)
		if d.IsDir() {
			return enter(rel, d.Name())
		}
		if strings.HasSuffix(rel, ".go") && !strings.HasSuffix(rel, "_test.go") && wanted(path.Dir(rel), packages) {
			files = append(files, rel)
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("gofuncs: %w", err)
	}
	return files, nil
}

func enter(rel, name string) error {
	if rel == "cmd" || name == "testdata" || name == "vendor" || name[0] == '_' || name[0] == '.' && rel != "." {
		return fs.SkipDir
	}
	return nil
}

func wanted(pkg string, packages []string) bool {
	for _, p := range packages {
		below, all := strings.CutSuffix(p, "/...")
		if pkg == below || all && strings.HasPrefix(pkg, below+"/") {
			return true
		}
	}
	return len(packages) == 0
}

// parse returns the functions of one file.
func parse(src, file string) ([]Function, error) {
	text, err := os.ReadFile(filepath.Join(src, filepath.FromSlash(file)))
	if err != nil {
		return nil, fmt.Errorf("gofuncs: %w", err)
	}
	fset := token.NewFileSet()
	tree, err := parser.ParseFile(fset, file, text, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return nil, fmt.Errorf("gofuncs: %w", err)
	}
	// Programs in a library folder are generators under "//go:build ignore".
	if ast.IsGenerated(tree) || tree.Name.Name == "main" {
		return nil, nil
	}
	var functions []Function
	for _, d := range tree.Decls {
		fn, ok := d.(*ast.FuncDecl)
		if !ok || fn.Body == nil || fn.Name.Name == "_" {
			continue
		}
		at := func(p token.Pos) int { return fset.Position(p).Offset }
		terms, tokens := termsOf(text[at(fn.Pos()):at(fn.End())], fn)
		if tokens < minTokens {
			continue
		}
		functions = append(functions, Function{ID: name(path.Dir(file), fn), File: file, Line: fset.Position(fn.Pos()).Line, Terms: terms})
	}
	return functions, nil
}

// parallel calls fn for 0 to n-1, on several goroutines at once.
func parallel(n, threads int, fn func(i int)) {
	if threads <= 0 {
		threads = runtime.GOMAXPROCS(0)
	}
	var next atomic.Int64
	var wg sync.WaitGroup
	for range min(threads, n) {
		wg.Go(func() {
			for i := next.Add(1) - 1; i < int64(n); i = next.Add(1) - 1 {
				fn(int(i))
			}
		})
	}
	wg.Wait()
}
