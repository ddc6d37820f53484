// Words holds the comments of Go code to plain English. It counts nine words that
// betray a roundabout sentence, per 1,000 words of comment, and prints a row for each
// package. It fails if the first of these words occurs more than once in 1,000 in a package.
//
//	go run ./.ci/words           # all packages
//	go run ./.ci/words cache     # the packages in and below a folder
//
// Tests, generated files and testdata are not read.
package main

import (
	"flag"
	"fmt"
	"log"
	"slices"
	"strings"
)

// mark is the highest rate of the first word, per 1,000 words of a package's comments.
const mark = 1.0

func main() {
	log.SetFlags(0)
	flag.Parse()
	all, err := count(".")
	if err != nil {
		log.Fatal(err)
	}
	shown := slices.DeleteFunc(all, func(p pkg) bool { return !below(p.folder, flag.Args()) })
	printRates(shown)
	if failed := over(shown); len(failed) > 0 {
		log.Fatal(strings.Join(failed, "\n"))
	}
}

// below reports whether a folder is one of roots or lies below one; all do where
// no root is named.
func below(folder string, roots []string) bool {
	return len(roots) == 0 || slices.ContainsFunc(roots, func(root string) bool {
		root = strings.Trim(strings.TrimPrefix(root, "./"), "/")
		return folder == root || strings.HasPrefix(folder, root+"/")
	})
}

func printRates(all []pkg) {
	fmt.Printf("%-40s %7s", "package", "words")
	for _, w := range counted {
		fmt.Printf(" %8s", w.name)
	}
	fmt.Println()
	for _, p := range all {
		fmt.Printf("%-40s %7d", p.folder, p.words)
		for i := range counted {
			fmt.Printf(" %8.2f", p.rate(i))
		}
		fmt.Println()
	}
}

// over returns a line for each package above the mark.
func over(all []pkg) (failed []string) {
	for _, p := range all {
		if p.rate(0) > mark {
			failed = append(failed, fmt.Sprintf(`%s: "what" occurs %d times in %d words of comment, %.2f in 1,000; the mark is %.2f`,
				p.folder, p.found[0], p.words, p.rate(0), mark))
		}
	}
	return failed
}
