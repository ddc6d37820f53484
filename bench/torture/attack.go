package torture

import (
	"bytes"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
)

// An attack changes a file of a store. It describes the change.
type attack struct {
	name string
	do   func(c *attacked) error
}

// attacked is a file and the input of an attack.
type attacked struct {
	rng     *rand.Rand
	store   string // the folder
	rel     string // the file
	other   string // the folder of a store of the same shape
	outside string // a folder that nobody may touch
}

func (c *attacked) path() string { return filepath.Join(c.store, c.rel) }

// rewrite changes the contents of the file.
func (c *attacked) rewrite(change func(data []byte) []byte) error {
	data, err := os.ReadFile(c.path())
	if err != nil {
		return err
	}
	return os.WriteFile(c.path(), change(data), 0o666)
}

// replace puts something else in the place of the file.
func (c *attacked) replace(put func(path string) error) error {
	if err := os.RemoveAll(c.path()); err != nil {
		return err
	}
	return put(c.path())
}

var attacks = []attack{
	{"bit", func(c *attacked) error { return c.rewrite(c.flip) }},
	{"bytes", func(c *attacked) error {
		return c.rewrite(func(data []byte) []byte {
			for range 1 + c.rng.IntN(16) {
				data = c.flip(data)
			}
			return data
		})
	}},
	{"zeros", func(c *attacked) error {
		return c.rewrite(func(data []byte) []byte {
			from := c.rng.IntN(len(data) + 1)
			clear(data[from:min(len(data), from+1+c.rng.IntN(8192))])
			return data
		})
	}},
	{"cut", func(c *attacked) error {
		return c.rewrite(func(data []byte) []byte { return data[:c.rng.IntN(len(data)+1)] })
	}},
	{"longer", func(c *attacked) error {
		return c.rewrite(func(data []byte) []byte { return append(data, make([]byte, 1+c.rng.IntN(5000))...) })
	}},
	{"gone", func(c *attacked) error { return os.Remove(c.path()) }},
	{"of another store", func(c *attacked) error {
		data, err := os.ReadFile(filepath.Join(c.other, c.rel))
		if err != nil {
			return os.Remove(c.path()) // which has none
		}
		return os.WriteFile(c.path(), data, 0o666)
	}},
	{"two change places", func(c *attacked) error {
		files := filesOf(c.store)
		other := filepath.Join(c.store, files[c.rng.IntN(len(files))])
		if other == c.path() {
			return nil
		}
		between := c.path() + ".between"
		for _, move := range [][2]string{{c.path(), between}, {other, c.path()}, {between, other}} {
			if err := os.Rename(move[0], move[1]); err != nil {
				return err
			}
		}
		return nil
	}},
	{"link out", func(c *attacked) error {
		return c.replace(func(path string) error { return os.Symlink(filepath.Join(c.outside, "precious"), path) })
	}},
	{"link to a copy outside", func(c *attacked) error {
		to := filepath.Join(c.outside, "copy")
		if err := os.Rename(c.path(), to); err != nil {
			return err
		}
		return os.Symlink(to, c.path())
	}},
	{"link to nothing", func(c *attacked) error {
		return c.replace(func(path string) error { return os.Symlink(filepath.Join(c.outside, "new"), path) })
	}},
	{"link to itself", func(c *attacked) error {
		return c.replace(func(path string) error { return os.Symlink(filepath.Base(path), path) })
	}},
	{"device", func(c *attacked) error {
		return c.replace(func(path string) error {
			return os.Symlink([]string{"/dev/zero", "/dev/null", "/dev/full"}[c.rng.IntN(3)], path)
		})
	}},
	{"pipe", func(c *attacked) error {
		return c.replace(pipe)
	}},
	{"folder", func(c *attacked) error {
		return c.replace(func(path string) error { return os.Mkdir(path, 0o777) })
	}},
	{"folder out", func(c *attacked) error { // the one that the file lies in
		folder := filepath.Dir(c.path())
		if folder == c.store {
			return nil
		}
		if err := os.RemoveAll(folder); err != nil {
			return err
		}
		return os.Symlink(c.outside, folder)
	}},
}

// pipe makes a named pipe.
func pipe(path string) error { return exec.Command("mkfifo", path).Run() }

// flip flips a bit.
func (c *attacked) flip(data []byte) []byte {
	if len(data) > 0 {
		data[c.rng.IntN(len(data))] ^= 1 << c.rng.IntN(8)
	}
	return data
}

// filesOf are the files below a store, sorted.
func filesOf(dir string) (rels []string) {
	filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.Type().IsRegular() {
			rel, _ := filepath.Rel(dir, path)
			rels = append(rels, rel)
		}
		return nil
	})
	slices.Sort(rels)
	return rels
}

// harmed reports whether a sealed file is not the one that was sealed.
func harmed(store, intact string) bool {
	for _, rel := range filesOf(intact) {
		if top := filepath.Dir(rel); top != "graph" && top != "vectors" && rel != "SEAL" {
			continue
		}
		want, err := os.ReadFile(filepath.Join(intact, rel))
		if err != nil {
			continue
		}
		path := filepath.Join(store, rel)
		info, err := os.Lstat(path)
		if err != nil || !info.Mode().IsRegular() {
			return true
		}
		got, err := os.ReadFile(path)
		if err != nil || !bytes.Equal(got, want) {
			return true
		}
	}
	return false
}

// snapshot is all that is in a folder, contents too.
func snapshot(dir string) string {
	var b bytes.Buffer
	filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return nil
		}
		info, err := d.Info()
		if err != nil {
			return nil
		}
		fmt.Fprintln(&b, path, info.Mode())
		if info.Mode().IsRegular() {
			data, _ := os.ReadFile(path)
			fmt.Fprintln(&b, info.ModTime().UnixNano(), len(data), string(data))
		}
		return nil
	})
	return b.String()
}
