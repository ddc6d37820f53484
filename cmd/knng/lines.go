package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"

	"github.com/knng/knng/cmd/knng/internal/textlines"
)

// openText opens a text file that a flag names. A folder in its place is a usageError.
func openText(path string) (*os.File, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, absent(err)
	}
	if err := isText(f.Stat()); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}

// isText refuses a folder where a text file is wanted.
func isText(file fs.FileInfo, err error) error {
	if err == nil && file.IsDir() {
		return usageError{fmt.Errorf("%s is a folder, want a text file", file.Name())}
	}
	return err
}

// eachLineOf is textlines.Each for a file.
func eachLineOf(path string, use func(line string) error) error {
	f, err := openText(path)
	if err != nil {
		return err
	}
	defer f.Close()
	return textlines.Each(f, path, use)
}
