// Command house counts the code of some commits by package house, and the words of its comments by .ci/words, side
// by side: the table of bench/results/house.md.
//
//	go run ./bench/cmd/house b9bb815 HEAD
package main

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/knng/knng/bench/house"
)

func main() {
	commits := os.Args[1:]
	if len(commits) == 0 {
		commits = []string{"HEAD"}
	}
	if err := run(commits); err != nil {
		fmt.Fprintln(os.Stderr, "house:", err)
		os.Exit(1)
	}
}

func run(commits []string) (err error) {
	folder, err := os.MkdirTemp("", "knng-house")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(folder)) }()
	words := filepath.Join(folder, "words.exe")
	if out, err := exec.Command("go", "build", "-o", words, "./.ci/words").CombinedOutput(); err != nil {
		return fmt.Errorf("go build ./.ci/words: %w: %s", err, out)
	}
	head, line := "| |", "|---|"
	rows := make([]string, 8)
	for i, commit := range commits {
		tree := filepath.Join(folder, strconv.Itoa(i))
		if err := checkOut(commit, tree); err != nil {
			return fmt.Errorf("%s: %w", commit, err)
		}
		c, err := house.Count(tree)
		if err != nil {
			return fmt.Errorf("%s: %w", commit, err)
		}
		what, most, err := wordsOf(words, tree)
		if err != nil {
			return fmt.Errorf("%s: %w", commit, err)
		}
		head, line = head+" "+commit+" |", line+"---|"
		for j, cell := range []string{
			fmt.Sprintf("%d (%s)", c.Methods, c.Largest), strconv.Itoa(c.RootLines), strconv.Itoa(c.Exported), strconv.Itoa(c.RootNames),
			strconv.Itoa(c.MethodFiles), strconv.Itoa(c.MetricFiles), fmt.Sprintf("%.2f", what), most,
		} {
			rows[j] += " " + cell + " |"
		}
	}
	fmt.Println(head + "\n" + line)
	for j, name := range []string{"methods of the largest type", "lines of the builder's root package", "exported names of the product", "likewise, of the root package",
		"files that compare with a method's name", "files that compare with a metric's name",
		`"what" in 1,000 words of comment`, "likewise, the most of a package"} {
		fmt.Println("| " + name + " |" + rows[j])
	}
	return nil
}

// checkOut writes the files of a commit below folder.
func checkOut(commit, folder string) error {
	if err := os.Mkdir(folder, 0o755); err != nil {
		return err
	}
	archive, err := exec.Command("git", "archive", "--format=tar", commit).Output()
	if exit := (*exec.ExitError)(nil); errors.As(err, &exit) {
		return fmt.Errorf("git archive: %s", exit.Stderr)
	}
	if err != nil {
		return err
	}
	tar := exec.Command("tar", "-x", "-C", folder)
	tar.Stdin, tar.Stderr = bytes.NewReader(archive), os.Stderr
	return tar.Run()
}

// wordsOf runs .ci/words, which fails above its mark, in a tree: the rate of its first word in all packages, and
// the package where it is highest.
func wordsOf(words, tree string) (rate float64, most string, err error) {
	list := exec.Command(words)
	list.Dir = tree
	out, err := list.Output()
	if exit := (*exec.ExitError)(nil); err != nil && !errors.As(err, &exit) {
		return 0, "", err
	}
	var all, found, highest float64
	for lines := bufio.NewScanner(bytes.NewReader(out)); lines.Scan(); {
		fields := strings.Fields(lines.Text())
		if len(fields) < 3 || fields[0] == "package" {
			continue
		}
		count, err1 := strconv.ParseFloat(fields[1], 64)
		of, err2 := strconv.ParseFloat(fields[2], 64)
		if err := errors.Join(err1, err2); err != nil {
			return 0, "", fmt.Errorf(".ci/words: %q: %w", lines.Text(), err)
		}
		all, found = all+count, found+count*of/1000
		if of > highest {
			highest, most = of, fmt.Sprintf("%.2f (%s)", of, fields[0])
		}
	}
	if all == 0 {
		return 0, "", errors.New(".ci/words counts no words")
	}
	return 1000 * found / all, most, nil
}
