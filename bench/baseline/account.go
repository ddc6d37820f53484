package baseline

import (
	"embed"
	"go/parser"
	"go/token"
	"path"
	"slices"
	"strings"
)

// The package comment of a room names the paper and section, the points that they
// leave open, and how they were settled. It is written there, once.
//
//go:embed brute/brute.go chenfs09/chenfs09.go kdtrees/kdtrees.go knng/knng.go nndescent/nndescent.go uno/uno.go virmajoki/virmajoki.go
var rooms embed.FS

// An Account is the package comment of a room below this folder.
type Account struct{ Package, Text string }

// Accounts are those of all rooms, by name, for pages about them.
func Accounts() (all []Account, err error) {
	dirs, err := rooms.ReadDir(".")
	if err != nil {
		return nil, err
	}
	for _, dir := range dirs {
		name := path.Join(dir.Name(), dir.Name()+".go")
		source, err := rooms.ReadFile(name)
		if err != nil {
			return nil, err
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, source, parser.PackageClauseOnly|parser.ParseComments)
		if err != nil {
			return nil, err
		}
		all = append(all, Account{dir.Name(), strings.TrimSpace(file.Doc.Text())})
	}
	slices.SortFunc(all, func(a, b Account) int { return strings.Compare(a.Package, b.Package) })
	return all, nil
}
