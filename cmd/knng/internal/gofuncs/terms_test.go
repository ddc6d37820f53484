package gofuncs

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"slices"
	"strings"
	"testing"
)

func TestWords(t *testing.T) {
	for text, want := range map[string]string{
		"":                            "",
		"_":                           "",
		"i":                           "i",
		"IndexByte":                   "index byte",
		"HTTPServer2_x":               "http server 2 x",
		"encodeUTF16le":               "encode utf 16 le",
		"ID":                          "id",
		"newFD":                       "new fd",
		"Index returns -1, or NaN.\n": "index returns 1 or na n",
		"größe Ähnlich":               "größe ähnlich",
	} {
		if got := strings.Join(words(text), " "); got != want {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
	}
}

// TestTermsGolden shows every term of two declarations, as a reader would list
// them by hand. Set KNNG_UPDATE=1 to write the file anew.
func TestTermsGolden(t *testing.T) {
	const text = `package p

// AddItem adds an item, twice.
func (b *Basket) AddItem(x int) {
	b.items = append(b.items, x, x)
}

func init() { fmt.Println("open the HTTPServer\n", 0x1F) }
`
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, "p.go", text, parser.ParseComments)
	if err != nil {
		t.Fatal(err)
	}
	var got strings.Builder
	for _, d := range file.Decls {
		fn := d.(*ast.FuncDecl)
		c := counter{counts: make(map[Term]uint32), texts: make(map[Term]string)}
		tokens := c.declaration([]byte(text[fset.Position(fn.Pos()).Offset:fset.Position(fn.End()).Offset]), fn)
		fmt.Fprintf(&got, "%s: %d tokens\n", fn.Name.Name, tokens)
		var lines []string
		for term, n := range c.counts {
			lines = append(lines, fmt.Sprintf("  %c %d %s\n", term.kind, n, c.texts[term]))
		}
		slices.Sort(lines)
		got.WriteString(strings.Join(lines, ""))
	}
	const golden = "testdata/terms.golden"
	if os.Getenv("KNNG_UPDATE") != "" {
		if err := os.WriteFile(golden, []byte(got.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if got.String() != string(want) {
		t.Errorf("got\n%s\nwant\n%s", got.String(), want)
	}
}
