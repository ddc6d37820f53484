// Words holds the comments of Go code to plain English. It counts nine words that
// betray a roundabout sentence, per 1,000 words of comment, and prints a row for each
// package. It fails if the first of these words is more frequent in a package than its
// mark: 1 in 1,000, or its rate in .ci/words/ratchet, which may fall and never rise.
//
//	go run ./.ci/words           # all packages
//	go run ./.ci/words cache     # the packages in and below a folder
//	go run ./.ci/words -lower    # write the rates that fell into the ratchet
//
// Tests, generated files and testdata are not read.
package main

import (
	"flag"
	"fmt"
	"log"
	"os"
	"slices"
	"strings"
)

// mark is the highest rate of the first word, per 1,000 words of a package's comments.
const mark = 1.0

const ratchetFile = ".ci/words/ratchet"

func main() {
	log.SetFlags(0)
	lower := flag.Bool("lower", false, "write the rates that fell into "+ratchetFile)
	flag.Parse()
	all, err := count(".")
	if err != nil {
		log.Fatal(err)
	}
	limits, err := readRatchet(ratchetFile)
	if err != nil {
		log.Fatal(err)
	}
	shown := slices.DeleteFunc(slices.Clone(all), func(p pkg) bool { return !below(p.folder, flag.Args()) })
	printRates(shown)
	if *lower {
		if err := os.WriteFile(ratchetFile, ratchet(all, limits), 0o644); err != nil {
			log.Fatal(err)
		}
		return
	}
	if failed := over(shown, limits); len(failed) > 0 {
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
