package main

import (
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var (
	linkedTo   = regexp.MustCompile(`\]\(([^)\s]+)\)`)
	headline   = regexp.MustCompile(`(?m)^#+ (.*)$`)
	linkTarget = regexp.MustCompile(`\]\([^)]*\)`)
	noAnchor   = regexp.MustCompile(`[^\pL\pN _-]`)
	benchRun   = regexp.MustCompile(`go run \./(bench/\w+/\w+)`)
)

// anchors returns the anchors that GitHub gives to the headlines of a page.
func anchors(page string) map[string]bool {
	all := map[string]bool{}
	for _, m := range headline.FindAllStringSubmatch(page, -1) {
		text := noAnchor.ReplaceAllString(strings.ToLower(linkTarget.ReplaceAllString(m[1], "]")), "")
		all[strings.ReplaceAll(strings.TrimSpace(text), " ", "-")] = true
	}
	return all
}

// pages returns the text of every Markdown file of the repository, by its path.
func pages(t *testing.T) map[string]string {
	t.Helper()
	root, all := os.DirFS(filepath.Join("..", "..")), map[string]string{}
	err := fs.WalkDir(root, ".", func(name string, entry fs.DirEntry, err error) error {
		switch base := path.Base(name); {
		case err != nil:
			return err
		case entry.IsDir() && base != "." && base != ".github" && (base[0] == '.' || base == "node_modules"): // of tools
			return fs.SkipDir
		case entry.IsDir() || path.Ext(name) != ".md":
			return nil
		}
		text, err := fs.ReadFile(root, name)
		all[name] = string(text)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// TestLinksOfPages follows the links between pages, to files and to headlines, and asks that the
// README leads to every page of results.
func TestLinksOfPages(t *testing.T) {
	all := pages(t)
	met := map[string]bool{"README.md": true}
	for todo := []string{"README.md"}; len(todo) > 0; todo = todo[1:] {
		for _, m := range linkedTo.FindAllStringSubmatch(all[todo[0]], -1) {
			if to := target(todo[0], m[1]); all[to] != "" && !met[to] {
				met[to], todo = true, append(todo, to)
			}
		}
	}
	for name, text := range all {
		if strings.HasPrefix(name, "bench/results/") && !met[name] {
			t.Errorf("no link from README.md leads to %s", name)
		}
		for _, m := range linkedTo.FindAllStringSubmatch(text, -1) {
			to := target(name, m[1])
			if to == "" {
				continue
			}
			if _, err := os.Stat(filepath.Join("..", "..", filepath.FromSlash(to))); err != nil {
				t.Errorf("%s links to %s, which is not there", name, m[1])
			}
			if _, anchor, ok := strings.Cut(m[1], "#"); ok && !anchors(all[to])[anchor] {
				t.Errorf("%s links to %s, and %s has no such headline", name, m[1], to)
			}
		}
		for _, m := range benchRun.FindAllStringSubmatch(text, -1) {
			if _, err := os.Stat(filepath.Join("..", "..", filepath.FromSlash(m[1]))); err != nil {
				t.Errorf("%s runs %s, which is not there", name, m[1])
			}
		}
	}
}

// target returns the file of the repository that a link in the page name leads to, or "".
func target(name, link string) string {
	link, inside := strings.CutPrefix(link, "https://github.com/knng/knng/blob/main/")
	switch file, _, _ := strings.Cut(link, "#"); {
	case inside:
		return file
	case strings.Contains(link, "://"):
		return ""
	case file == "":
		return name
	default:
		return path.Join(path.Dir(name), file)
	}
}

// TestCommandsThatMeasure asks that the page of commands names every command of bench/cmd.
func TestCommandsThatMeasure(t *testing.T) {
	page := pages(t)["bench/results/commands.md"]
	folders, err := os.ReadDir(filepath.Join("..", "..", "bench", "cmd"))
	if err != nil {
		t.Fatal(err)
	}
	for _, folder := range folders {
		if !strings.Contains(page, "./bench/cmd/"+folder.Name()+" ") {
			t.Errorf("bench/results/commands.md does not name bench/cmd/%s", folder.Name())
		}
	}
}
