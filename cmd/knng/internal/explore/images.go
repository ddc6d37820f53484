package explore

import (
	"fmt"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"strings"

	"github.com/knng/knng/vectors"
)

// imageTypes are the kinds of pictures that are served, by the end of a file's name.
// Formats that can hold scripts, such as SVG, are left out.
var imageTypes = map[string]string{
	".png": "image/png", ".jpg": "image/jpeg", ".jpeg": "image/jpeg", ".gif": "image/gif", ".webp": "image/webp",
}

// images finds the picture of a row in a folder: a file named by the row's id or its
// number, with an extension of imageTypes or, where the id has one, as the id is.
type images struct {
	root *os.Root
	name map[string]string // file by name, and by name without extension
}

func openImages(dir string) (*images, error) {
	if info, err := os.Stat(dir); err == nil && !info.IsDir() {
		return nil, vectors.Misused(fmt.Errorf("%s is a file, want a folder of pictures", dir))
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, err
	}
	entries, err := fs.ReadDir(root.FS(), ".")
	if err != nil {
		root.Close()
		return nil, fmt.Errorf("pictures in %s: %w", dir, err)
	}
	im := &images{root: root, name: make(map[string]string)}
	for _, e := range entries {
		ext := filepath.Ext(e.Name())
		if imageTypes[strings.ToLower(ext)] == "" || !e.Type().IsRegular() {
			continue
		}
		im.name[e.Name()] = e.Name()
		im.name[strings.TrimSuffix(e.Name(), ext)] = e.Name()
	}
	return im, nil
}

// find returns the file of a row; "" where there is none. A file that the row's number names is another row's where it
// is named by that row's id: isID tells of a name whether it is an id.
func (im *images) find(id string, row uint64, isID func(name string) bool) string {
	if name, ok := im.name[id]; ok && id != "" {
		return name
	}
	number := fmt.Sprint(row)
	if name, ok := im.name[number]; ok && !isID(number) && !isID(name) {
		return name
	}
	return ""
}

// serve sends a picture by its file's name.
func (im *images) serve(w http.ResponseWriter, r *http.Request, name string) {
	kind := imageTypes[strings.ToLower(filepath.Ext(name))]
	if kind == "" {
		http.NotFound(w, r)
		return
	}
	f, err := im.root.Open(name)
	if err != nil {
		http.NotFound(w, r)
		return
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil || !info.Mode().IsRegular() {
		http.NotFound(w, r)
		return
	}
	w.Header().Set("Content-Type", kind)
	http.ServeContent(w, r, "", info.ModTime(), f)
}
