package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"

	"github.com/knng/knng/vectors"
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

// maxLine bounds a line of a text, in bytes.
const maxLine = 1 << 20

// eachLine calls use with each line of a text of some name, which errors give with the number of the line, from 1. The byte
// order mark that some editors begin a file with is no part of the first line.
func eachLine(r io.Reader, name string, use func(line string) error) error {
	lines, number := bufio.NewScanner(r), 1
	lines.Buffer(nil, maxLine)
	for ; lines.Scan(); number++ {
		line := lines.Text()
		if number == 1 {
			line = strings.TrimPrefix(line, "\ufeff")
		}
		if err := use(line); err != nil {
			return fmt.Errorf("%s: line %d: %w", name, number, err)
		}
	}
	if err := lines.Err(); errors.Is(err, bufio.ErrTooLong) {
		return vectors.Refused(fmt.Errorf("%s: line %d is longer than %d bytes", name, number, maxLine))
	} else if err != nil {
		return vectors.Refused(fmt.Errorf("%s: line %d: %w", name, number, err))
	}
	return nil
}

// eachLineOf is eachLine for a file.
func eachLineOf(path string, use func(line string) error) error {
	f, err := openText(path)
	if err != nil {
		return err
	}
	defer f.Close()
	return eachLine(f, path, use)
}
