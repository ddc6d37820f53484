// Package textlines reads files of text line by line.
package textlines

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/knng/knng/vectors"
)

// Max bounds a line, in bytes.
const Max = 1 << 20

// Each calls use with each line of a text of some name, which errors give with the number of the line, from 1. The byte
// order mark that some editors begin a file with is no part of the first line, nor "\r" of the end of any. A line that is too
// long is vectors.ErrRows.
func Each(r io.Reader, name string, use func(line string) error) error {
	lines, number := bufio.NewScanner(r), 1
	lines.Buffer(nil, Max)
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
		return vectors.Refused(fmt.Errorf("%s: line %d is longer than %d bytes", name, number, Max))
	} else if err != nil {
		return vectors.Refused(fmt.Errorf("%s: line %d: %w", name, number, err))
	}
	return nil
}
