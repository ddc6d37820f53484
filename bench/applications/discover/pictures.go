package main

import (
	"bufio"
	"fmt"
	"image"
	_ "image/jpeg" // what pictures may be
	_ "image/png"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// list returns the pictures of a folder and the folders in it, by slash-separated
// path, in order.
func list(folder string) (names []string, err error) {
	err = filepath.WalkDir(folder, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		switch strings.ToLower(filepath.Ext(path)) {
		case ".png", ".jpg", ".jpeg":
			name, err := filepath.Rel(folder, path)
			names = append(names, filepath.ToSlash(name))
			return err
		}
		return nil
	})
	return names, err
}

func decode(path string) (image.Image, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	img, _, err := image.Decode(f)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return img, nil
}

// labels are the objects of pictures.
type labels struct {
	of    []string // of each picture; "" is a distracter
	notes []string // the lines that begin with #, without it
}

// readLabels reads which object is in which picture. Without a path all pictures
// are distracters.
func readLabels(path string, names []string) (*labels, error) {
	l := &labels{of: make([]string, len(names))}
	if path == "" {
		return l, nil
	}
	number := map[string]int{}
	for i, name := range names {
		number[name] = i
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	lines := bufio.NewScanner(f)
	for line := 1; lines.Scan(); line++ {
		if note, ok := strings.CutPrefix(lines.Text(), "#"); ok {
			l.notes = append(l.notes, strings.TrimSpace(note))
			continue
		}
		name, object, ok := strings.Cut(lines.Text(), "\t")
		i, known := number[name]
		switch {
		case lines.Text() == "":
		case !ok || object == "":
			return nil, fmt.Errorf("%s: line %d is %q, want a picture, a tab and an object", path, line, lines.Text())
		case !known:
			return nil, fmt.Errorf("%s: line %d: there is no picture %s", path, line, name)
		case l.of[i] != "":
			return nil, fmt.Errorf("%s: line %d: %s has an object already, %s", path, line, name, l.of[i])
		default:
			l.of[i] = object
		}
	}
	if err := lines.Err(); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return l, nil
}
