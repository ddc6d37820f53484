package main

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
)

// readRatchet reads lines of a folder and its highest rate of the first word.
func readRatchet(name string) (map[string]float64, error) {
	limits := map[string]float64{}
	text, err := os.ReadFile(name)
	if errors.Is(err, fs.ErrNotExist) {
		return limits, nil
	}
	lines := bufio.NewScanner(bytes.NewReader(text))
	for n := 1; lines.Scan(); n++ {
		var folder string
		var limit float64
		if _, err := fmt.Sscan(lines.Text(), &folder, &limit); err != nil {
			return nil, fmt.Errorf("%s:%d: %q is no folder and rate: %w", name, n, lines.Text(), err)
		}
		limits[folder] = limit
	}
	return limits, errors.Join(err, lines.Err())
}

// over returns a line for each package above its mark.
func over(all []pkg, limits map[string]float64) (failed []string) {
	for _, p := range all {
		if limit := max(mark, limits[p.folder]); p.rate(0) > limit {
			failed = append(failed, fmt.Sprintf(`%s: "what" occurs %d times in %d words of comment, %.2f in 1,000; the mark is %.2f`,
				p.folder, p.found[0], p.words, p.rate(0), limit))
		}
	}
	return failed
}

// ratchet returns the lines of the packages that are above the mark, each at its rate
// now or at its limit where that is lower. A package without a limit gets none: it
// keeps the mark. Rates are rounded up to hundredths.
func ratchet(all []pkg, limits map[string]float64) []byte {
	var text bytes.Buffer
	for _, p := range all {
		if limit, listed := limits[p.folder]; listed && p.rate(0) > mark {
			fmt.Fprintf(&text, "%s %.2f\n", p.folder, min(limit, math.Ceil(100*p.rate(0))/100))
		}
	}
	return text.Bytes()
}
