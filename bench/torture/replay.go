package torture

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// pack packs a folder: files, folders, links and pipes.
func pack(dir string) ([]byte, error) {
	var b bytes.Buffer
	w := tar.NewWriter(&b)
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || path == dir {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		link := ""
		if info.Mode()&fs.ModeSymlink != 0 {
			if link, err = os.Readlink(path); err != nil {
				return err
			}
		}
		h, err := tar.FileInfoHeader(info, link)
		if err != nil {
			return err
		}
		if h.Name, err = filepath.Rel(dir, path); err != nil {
			return err
		}
		h.Format = tar.FormatPAX // times to the nanosecond
		if err := w.WriteHeader(h); err != nil || !info.Mode().IsRegular() {
			return err
		}
		data, err := os.ReadFile(path)
		if err == nil {
			_, err = w.Write(data)
		}
		return err
	})
	return b.Bytes(), errors.Join(err, w.Close())
}

// unpack is the inverse of pack.
func unpack(data []byte, dir string) error {
	r := tar.NewReader(bytes.NewReader(data))
	for {
		h, err := r.Next()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		path := filepath.Join(dir, h.Name)
		switch h.Typeflag {
		case tar.TypeDir:
			err = os.MkdirAll(path, 0o777)
		case tar.TypeSymlink:
			err = os.Symlink(h.Linkname, path)
		case tar.TypeFifo:
			err = pipe(path)
		default:
			var data []byte
			if data, err = io.ReadAll(r); err == nil {
				err = os.WriteFile(path, data, 0o666)
			}
			if err == nil {
				err = os.Chtimes(path, h.ModTime, h.ModTime)
			}
		}
		if err != nil {
			return err
		}
	}
}

// saved is the file of a failure: the case as JSON, a line feed, and its folder packed.
func (c *Config) failed(s *Spec, packed []byte) error {
	text, err := json.Marshal(s)
	if err != nil {
		return err
	}
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	z.Write(append(append(text, '\n'), packed...))
	if err := z.Close(); err != nil {
		return err
	}
	if err := os.MkdirAll(c.Failures, 0o777); err != nil {
		return err
	}
	path := filepath.Join(c.Failures, fmt.Sprintf("torture-%d-%d.failure", s.Seed, s.Number))
	if c.Log != nil {
		fmt.Fprintf(c.Log, "%s: %s, %s of %s: %q\n", path, s.Kind, s.Build, s.Input, s.Did)
		for _, wrong := range s.Wrong {
			fmt.Fprintf(c.Log, "  %s\n", wrong)
		}
	}
	return os.WriteFile(path, b.Bytes(), 0o666)
}

// Replay puts the store of a failure where it was, gives it to the same commands, and
// returns the case with all that is wrong now.
func (c *Config) Replay(path string) (*Spec, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	data, err := io.ReadAll(z)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	text, packed, _ := bytes.Cut(data, []byte("\n"))
	s := new(Spec)
	if err := json.Unmarshal(text, s); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	s.Wrong = nil
	c.Seed = s.Seed
	w, err := c.world()
	if err != nil {
		return nil, err
	}
	if err := os.MkdirAll(w.home(), 0o777); err != nil {
		return nil, err
	}
	if err := unpack(packed, w.home()); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	w.judge(s)
	return s, nil
}
