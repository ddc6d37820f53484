package explore

import (
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/knng/knng/cmd/knng/internal/textlines"
	"github.com/knng/knng/vectors"
)

// readLines reads a file of one UTF-8 line for each of n rows. Bytes that are no UTF-8
// become U+FFFD. Another number of lines, or a line that is too long, is vectors.ErrRows.
func readLines(path string, n int) ([]string, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	all := make([]string, 0, n)
	err = textlines.Each(f, path, func(line string) error {
		all = append(all, strings.ToValidUTF8(line, "\uFFFD"))
		return nil
	})
	if err != nil {
		return nil, err
	}
	if len(all) != n {
		return nil, vectors.Refused(fmt.Errorf("%s: %d lines, want one for each of %d rows", path, len(all), n))
	}
	return all, nil
}

// others is the class of labels that get no color of their own.
const others = 255

// leastNamed is the least share of rows that labels with a color are to have: labels of fewer differ from row
// to row, as titles do, and colors would show nothing.
const leastNamed = 0.01

// classes numbers the distinct labels in the order of their first rows. Where there are more than
// most, the most frequent ones have numbers, all but one of most, and the rest are others. Where labels differ from row to
// row, all rows are of class 0, which has no name.
func classes(labels []string, most int) (of []uint8, names []string, rest int) {
	count := make(map[string]int)
	for _, label := range labels {
		if count[label]++; count[label] == 1 {
			names = append(names, label)
		}
	}
	if rest = len(names) - most + 1; rest > 1 {
		slices.SortStableFunc(names, func(a, b string) int { return count[b] - count[a] })
		names = names[:most-1]
		named := 0
		for _, name := range names {
			named += count[name]
		}
		if count[names[0]] == 1 || float64(named) < leastNamed*float64(len(labels)) {
			return make([]uint8, len(labels)), nil, 0
		}
	} else {
		rest = 0
	}
	number := make(map[string]uint8)
	for i, name := range names {
		number[name] = uint8(i)
	}
	of = make([]uint8, len(labels))
	for i, label := range labels {
		c, known := number[label]
		if !known {
			c = others
		}
		of[i] = c
	}
	return of, names, rest
}
