package main

import (
	"io/fs"
	"os"
	"path"
	"regexp"
	"strings"
)

// counted lists the words. Only the first has a mark.
var counted = []struct {
	name    string
	matches *regexp.Regexp
}{
	{"what", regexp.MustCompile(`\bwhat\b`)},
	{"who", regexp.MustCompile(`\bwho\b`)},
	{"whose", regexp.MustCompile(`\bwhose\b`)},
	{"those", regexp.MustCompile(`\bthose\b`)},
	{"stand", regexp.MustCompile(`\bstands?\b`)},
	{"tell", regexp.MustCompile(`\b(?:tells?|told)\b`)},
	{"say", regexp.MustCompile(`\bsays?\b`)},
	{"ask", regexp.MustCompile(`\b(?:asks?|asked)\b`)},
	{"of them", regexp.MustCompile(`\b(?:of them|as many|so many)\b`)},
}

// pkg holds the counts of one folder's comments.
type pkg struct {
	folder string
	words  int
	found  []int // of each word of counted
}

// rate returns how often word i of counted occurs in 1,000 words.
func (p pkg) rate(i int) float64 { return 1000 * float64(p.found[i]) / float64(p.words) }

// count reads every package below root that has comments, in the order of their folders.
func count(root string) ([]pkg, error) {
	var all []pkg
	texts := map[string]*strings.Builder{}
	err := fs.WalkDir(os.DirFS(root), ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if entry.IsDir() {
			return skipFolder(name)
		}
		if !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") {
			return nil
		}
		source, err := fs.ReadFile(os.DirFS(root), name)
		if err != nil {
			return err
		}
		folder := path.Dir(name)
		if texts[folder] == nil {
			texts[folder] = new(strings.Builder)
			all = append(all, pkg{folder: folder})
		}
		texts[folder].WriteString(comments(string(source)))
		return nil
	})
	counted := all[:0]
	for _, p := range all {
		if p.count(texts[p.folder].String()); p.words > 0 {
			counted = append(counted, p)
		}
	}
	return counted, err
}

func skipFolder(name string) error {
	base := path.Base(name)
	hidden := base != "." && base != ".ci" && strings.HasPrefix(base, ".")
	if hidden || base == "testdata" || base == "results" || base == "vendor" {
		return fs.SkipDir
	}
	return nil
}

var (
	comment = regexp.MustCompile(`(?m)^\s*//(.*)$`)
	word    = regexp.MustCompile(`[a-z']+`)
)

// comments returns the text of a file's whole-line comments, in lower case, without
// directives and indented code; of a generated file it returns nothing.
func comments(source string) string {
	if strings.Contains(source[:min(2000, len(source))], "DO NOT EDIT") {
		return ""
	}
	var text strings.Builder
	for _, m := range comment.FindAllStringSubmatch(source, -1) {
		if line := m[1]; !strings.HasPrefix(line, "go:") && !strings.HasPrefix(line, "\t") && !strings.HasPrefix(line, "line") {
			text.WriteString(strings.ToLower(line) + " ")
		}
	}
	return text.String()
}

// count counts the words of text.
func (p *pkg) count(text string) {
	p.words = len(word.FindAllString(text, -1))
	for _, w := range counted {
		p.found = append(p.found, len(w.matches.FindAllString(text, -1)))
	}
}
