// Command licences prints the licences of all modules that knng is linked from, on any system
// that it is released for, and of Go: the text of NOTICE, which goes with a release.
//
//	go run ./.ci/licences > NOTICE
//
// A module without a licence is an error.
package main

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
)

func main() {
	text, err := notice("github.com/knng/knng/cmd/knng")
	if err != nil {
		fmt.Fprintln(os.Stderr, "licences:", err)
		os.Exit(1)
	}
	os.Stdout.WriteString(text)
}

// A module is one that is linked.
type module struct {
	Path, Version, Dir string
	Replace            *module
	Main               bool
}

// notice is the text for a command.
func notice(command string) (string, error) {
	modules, err := linked(command)
	if err != nil {
		return "", err
	}
	var b strings.Builder
	fmt.Fprintln(&b, "knng is linked from the modules below, whose licences follow.")
	for _, m := range modules {
		files, err := licences(m.Dir)
		if err == nil && len(files) == 0 {
			err = errors.New("no licence")
		}
		if err != nil {
			return "", fmt.Errorf("%s %s in %s: %w", m.Path, m.Version, m.Dir, err)
		}
		for _, file := range files {
			text, err := os.ReadFile(filepath.Join(m.Dir, file))
			if err != nil {
				return "", err
			}
			fmt.Fprintf(&b, "\n%s\n%s %s: %s\n\n%s\n", strings.Repeat("=", 72), m.Path, m.Version, file, bytes.TrimSpace(text))
		}
	}
	return b.String(), nil
}

// systems are those of releases.
var systems = []string{"linux", "darwin", "windows"}

// linked are the modules of all packages of a command, and Go itself, in order.
func linked(command string) ([]module, error) {
	found := map[string]module{"go": {Path: "Go", Version: runtime.Version(), Dir: goroot()}}
	for _, system := range systems {
		list := exec.Command("go", "list", "-deps", "-json=Module", command)
		list.Env = append(os.Environ(), "GOOS="+system, "CGO_ENABLED=0")
		list.Stderr = os.Stderr
		out, err := list.Output()
		if err != nil {
			return nil, fmt.Errorf("go list for %s: %w", system, err)
		}
		if err := read(bytes.NewReader(out), found); err != nil {
			return nil, err
		}
	}
	modules := make([]module, 0, len(found))
	for _, m := range found {
		modules = append(modules, m)
	}
	slices.SortFunc(modules, func(a, b module) int { return cmp.Compare(a.Path, b.Path) })
	return modules, nil
}

// read reads the output of go list.
func read(r io.Reader, found map[string]module) error {
	d := json.NewDecoder(r)
	for {
		var p struct{ Module *module }
		err := d.Decode(&p)
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		if p.Module == nil || p.Module.Main { // of the standard library, or ours
			continue
		}
		m := *p.Module
		if m.Replace != nil {
			m.Dir = m.Replace.Dir
		}
		found[m.Path] = m
	}
}

// goroot is where Go stands.
func goroot() string {
	out, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(out))
}

// licenceName is how files of licences are called.
var licenceName = regexp.MustCompile(`(?i)^(licen[sc]e|copying|notice|patents)([-._].*)?$`)

// licences are the files of licences in a module's own folder.
func licences(dir string) (names []string, err error) {
	entries, err := os.ReadDir(dir)
	for _, e := range entries {
		if e.Type().IsRegular() && licenceName.MatchString(e.Name()) && !strings.HasSuffix(e.Name(), ".go") {
			names = append(names, e.Name())
		}
	}
	return names, err
}
