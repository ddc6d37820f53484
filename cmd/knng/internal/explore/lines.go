package explore

import (
	"bufio"
	"fmt"
	"os"
	"strings"
	"unicode/utf8"
)

// maxLine bounds a line of a file of labels or texts, in bytes.
const maxLine = 1 << 20

// readLines reads a file of one UTF-8 line for each of n rows. Bytes that are no UTF-8
// become U+FFFD.
func readLines(path string, n int) ([]string, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	lines := make([]string, 0, n)
	scanner := bufio.NewScanner(f)
	scanner.Buffer(nil, maxLine)
	for scanner.Scan() {
		line := strings.TrimSuffix(scanner.Text(), "\r")
		if !utf8.ValidString(line) {
			line = strings.ToValidUTF8(line, "\uFFFD")
		}
		lines = append(lines, line)
	}
	if err := scanner.Err(); err != nil {
		return nil, fmt.Errorf("%s: line %d: %w", path, len(lines)+1, err)
	}
	if len(lines) != n {
		return nil, fmt.Errorf("%s: %d lines, want one for each of %d rows", path, len(lines), n)
	}
	return lines, nil
}

// classes numbers the distinct labels in order of their first row. Where there are more
// than most, it returns no names: so many colors tell nobody anything.
func classes(labels []string, most int) (of []uint8, names []string) {
	number := make(map[string]uint8)
	of = make([]uint8, len(labels))
	for i, label := range labels {
		c, known := number[label]
		if !known {
			if len(names) == most {
				return nil, nil
			}
			c = uint8(len(names))
			number[label], names = c, append(names, label)
		}
		of[i] = c
	}
	return of, names
}
