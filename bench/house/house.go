// Package house counts properties of a tree of this project's code that say how hard it is to change:
// the methods of the largest type, the lines of the builder's front door, the names that programs may use, and
// how many files compare with the name of a method or of a metric.
package house

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"path"
	"slices"
	"strings"
)

// product are the folders of the product.
var product = []string{"builder", "cache", "cmd", "store", "vectors"}

// Counts are the properties of one tree, without tests.
type Counts struct {
	Largest     string // type with the most methods of its own
	Methods     int    // that it has
	RootLines   int    // of package builder
	Exported    int    // names of importable packages: types, functions, methods, constants, variables
	RootNames   int    // those of package builder
	MethodFiles int    // that compare with the name of a way to build
	MetricFiles int    // that compare with the name of a metric
}

// A folder is the files of a package.
type folder struct {
	name  string // from the root, by slashes
	files []*ast.File
}

// Count counts the tree below root.
func Count(root string) (*Counts, error) {
	c := new(Counts)
	folders, err := parse(os.DirFS(root), c)
	if err != nil {
		return nil, err
	}
	ways, metrics := named(folders, "Method"), named(folders, "Metric")
	for name := range maps.Keys(maps.Clone(ways)) {
		ways[name+"Method"] = true // as package job has it
	}
	count := map[string]int{}
	for _, f := range folders {
		for _, file := range f.files {
			n := exported(f, file)
			c.Exported += n
			if f.name == "builder" {
				c.RootNames += n
			}
			for _, d := range file.Decls {
				if of := Receiver(d); of != "" {
					count[f.name+"."+of]++
				}
			}
			if compares(file, ways, "builder", "job") {
				c.MethodFiles++
			}
			if compares(file, metrics, "distance") {
				c.MetricFiles++
			}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(count)) {
		if count[name] > c.Methods {
			c.Largest, c.Methods = name, count[name]
		}
	}
	return c, nil
}

// parse reads all packages of the product, and counts the lines of one.
func parse(tree fs.FS, c *Counts) (folders []*folder, err error) {
	for _, top := range product {
		err := fs.WalkDir(tree, top, func(name string, e fs.DirEntry, err error) error {
			if base := path.Base(name); err == nil && e.IsDir() && (base == "testdata" || strings.HasPrefix(base, "_")) {
				return fs.SkipDir
			}
			if err != nil || !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") {
				return err
			}
			source, err := fs.ReadFile(tree, name)
			if err != nil {
				return err
			}
			file, err := parser.ParseFile(token.NewFileSet(), name, source, parser.SkipObjectResolution)
			if err != nil {
				return err
			}
			if path.Dir(name) == "builder" {
				c.RootLines += strings.Count(string(source), "\n")
			}
			if len(folders) == 0 || folders[len(folders)-1].name != path.Dir(name) {
				folders = append(folders, &folder{name: path.Dir(name)})
			}
			last := folders[len(folders)-1]
			last.files = append(last.files, file)
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	return folders, nil
}

// Receiver returns the name of the type that a declaration is a method of; "": it is none.
func Receiver(d ast.Decl) string {
	f, ok := d.(*ast.FuncDecl)
	if !ok || f.Recv == nil {
		return ""
	}
	of := f.Recv.List[0].Type
	if star, ok := of.(*ast.StarExpr); ok {
		of = star.X
	}
	switch generic := of.(type) {
	case *ast.IndexExpr:
		of = generic.X
	case *ast.IndexListExpr:
		of = generic.X
	}
	if name, ok := of.(*ast.Ident); ok {
		return name.Name
	}
	return ""
}

// exported counts the names of a file that other programs may use.
func exported(f *folder, file *ast.File) (n int) {
	if file.Name.Name == "main" || slices.Contains(strings.Split(f.name, "/"), "internal") {
		return 0
	}
	for _, d := range file.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			if of := Receiver(d); d.Name.IsExported() && (d.Recv == nil || ast.IsExported(of)) {
				n++
			}
		case *ast.GenDecl:
			for _, spec := range d.Specs {
				switch spec := spec.(type) {
				case *ast.TypeSpec:
					if spec.Name.IsExported() {
						n++
					}
				case *ast.ValueSpec:
					for _, name := range spec.Names {
						if name.IsExported() {
							n++
						}
					}
				}
			}
		}
	}
	return n
}

// named returns the constants of a type: where one has neither type nor value, it is as the one before.
func named(folders []*folder, typ string) map[string]bool {
	names := map[string]bool{}
	for _, f := range folders {
		for _, file := range f.files {
			for _, d := range file.Decls {
				group, ok := d.(*ast.GenDecl)
				if !ok || group.Tok != token.CONST {
					continue
				}
				is := false
				for _, spec := range group.Specs {
					value := spec.(*ast.ValueSpec)
					if of, ok := value.Type.(*ast.Ident); ok {
						is = of.Name == typ
					} else if len(value.Values) > 0 {
						is = false
					}
					for _, name := range value.Names {
						if is && name.IsExported() {
							names[name.Name] = true
						}
					}
				}
			}
		}
	}
	return names
}

// compares reports whether a file compares anything with a name that one of some packages declares, by an
// operator or as a case of a switch.
func compares(file *ast.File, names map[string]bool, packages ...string) (found bool) {
	is := func(e ast.Expr) bool {
		switch e := e.(type) {
		case *ast.Ident:
			return names[e.Name] && slices.Contains(packages, file.Name.Name)
		case *ast.SelectorExpr:
			of, ok := e.X.(*ast.Ident)
			return ok && names[e.Sel.Name] && slices.Contains(packages, of.Name)
		}
		return false
	}
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.BinaryExpr:
			found = found || (n.Op == token.EQL || n.Op == token.NEQ) && (is(n.X) || is(n.Y))
		case *ast.CaseClause:
			found = found || slices.ContainsFunc(n.List, is)
		}
		return true
	})
	return found
}
