package main

import (
	"bufio"
	"fmt"
	"os"
)

// readLabels reads one label a line and numbers them by their first rows.
func readLabels(path string, rows int) ([]int, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	var labels []int
	number := map[string]int{}
	lines := bufio.NewScanner(f)
	for lines.Scan() {
		n, ok := number[lines.Text()]
		if !ok {
			n = len(number)
			number[lines.Text()] = n
		}
		labels = append(labels, n)
	}
	if err := lines.Err(); err != nil {
		return nil, fmt.Errorf("%s: line %d: %w", path, len(labels)+1, err)
	}
	if len(labels) != rows {
		return nil, fmt.Errorf("%s: %d lines, want one for each of %d rows", path, len(labels), rows)
	}
	return labels, nil
}

// sizes counts the rows of every label.
func sizes(labels []int) map[int]int {
	count := map[int]int{}
	for _, l := range labels {
		count[l]++
	}
	return count
}

// rowsOfFrequent lists the rows whose label has at least least rows.
func rowsOfFrequent(labels []int, least int) (rows []int) {
	count := sizes(labels)
	for row, l := range labels {
		if count[l] >= least {
			rows = append(rows, row)
		}
	}
	return rows
}

// pick returns the labels of some rows.
func pick(labels, rows []int) []int {
	some := make([]int, len(rows))
	for i, row := range rows {
		some[i] = labels[row]
	}
	return some
}
