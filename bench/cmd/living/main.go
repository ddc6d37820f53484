// Command living measures search over a graph beside HNSW indexes of other packages, all in
// one run that takes turns:
//
//	python -m pip install hnswlib usearch faiss-cpu
//	go run ./bench/cmd/living -base sift-1M.u8bin -queries queries.bvecs -work /big/disk
//
// Or it measures a store that rows are put into and deleted from:
//
//	go run ./bench/cmd/living -base sift-1M.u8bin -queries queries.bvecs -limit 200000 -churn 200
//	go run ./bench/cmd/living -base sift-1M.u8bin -queries queries.bvecs -deletes 10,30,50
//
// Or it puts rows, searches meanwhile, and asks the disk alone to keep as many bytes:
//
//	go run ./bench/cmd/living -base sift-1M.u8bin -queries queries.bvecs -limit 200000 -puts
//
// Or it merges the graphs of both halves of the rows, or counts the reads of queries that find
// nothing in memory:
//
//	go run ./bench/cmd/living -base sift-1M.u8bin -merge
//	go run ./bench/cmd/living -base sift-1M.u8bin -queries queries.bvecs -cold 200 -budget 1
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"strconv"
	"strings"

	"github.com/knng/knng/bench/living"
	"github.com/knng/knng/bench/peers"
	"github.com/knng/knng/builder"
)

func main() {
	var c living.Config
	flag.StringVar(&c.Base, "base", "", "file of rows")
	flag.StringVar(&c.Queries, "queries", "", "file of queries")
	flag.IntVar(&c.Limit, "limit", 0, "only the first rows (default all)")
	flag.IntVar(&c.Count, "count", 0, "only the first queries (default all)")
	flag.StringVar(&c.Work, "work", "living.work", "folder for the graph, indexes and exact answers, which are kept")
	flag.StringVar(&c.Keep, "keep", "", "folder for the peers' indexes, which are read back where they are there (default -work)")
	flag.IntVar(&c.K, "k", 10, "results of a query")
	flag.IntVar(&c.Lists, "lists", 20, "neighbors of a row in the graph")
	flag.Float64Var(&c.Recall, "recall", 0.95, "recall of the graph")
	flag.StringVar((*string)(&c.Method), "method", "auto", "method of the build")
	flag.IntVar(&c.Rounds, "rounds", 3, "rounds of every point, of which the median counts")
	flag.StringVar(&c.Python, "python", "python3", "Python with the packages")
	efforts := flag.String("efforts", "10,16,24,32,48,64,96,128", "comma-separated")
	threads := flag.String("threads", "1,2", "comma-separated")
	others := flag.String("peers", "hnswlib,usearch,usearch-i8,faiss,faiss-u8", "comma-separated; empty for none")
	var churn living.Churn
	flag.IntVar(&churn.Rounds, "churn", 0, "instead: so many rounds that delete and put a share of the rows")
	flag.Float64Var(&churn.Share, "share", 0.01, "with -churn: of the rows, in a round")
	flag.IntVar(&churn.Every, "every", 10, "with -churn: rounds between measurements")
	flag.IntVar(&churn.Sample, "sample", 500, "with -churn and -deletes: rows whose lists are measured")
	flag.IntVar(&churn.Effort, "effort", 64, "with -churn, -deletes and -puts: of searches")
	deletes := flag.String("deletes", "", "instead: measure after these per cent of the rows are deleted, comma-separated")
	puts := flag.Bool("puts", false, "instead: put rows beside a file that is synced as often, and search meanwhile")
	merge := flag.Bool("merge", false, "instead: merge the graphs of both halves of the rows")
	raise := flag.Float64("raise", 0, "instead: compact a graph for this higher recall, beside a build of it")
	cold := flag.Int("cold", 0, "instead: so many queries, before each of which the system forgets the graph's files")
	budget := flag.Int64("budget", 0, "with -cold: bytes of memory that may hold rows and links (default half of the memory)")
	flag.Parse()
	if *deletes != "" {
		churn.Deletes = numbers("deletes", *deletes)
	}
	c.Efforts, c.Threads = numbers("efforts", *efforts), numbers("threads", *threads)
	if *others != "" {
		c.Peers = strings.Split(*others, ",")
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	fmt.Println(peers.ThisMachine())
	if *merge || *puts || *cold > 0 || *raise > 0 {
		run := runMerge
		if *raise > 0 {
			run = func(ctx context.Context, c living.Config) error { return runRaise(ctx, c, *raise) }
		}
		if *puts {
			run = func(ctx context.Context, c living.Config) error { return runPuts(ctx, c, churn.Effort) }
		}
		if *cold > 0 {
			run = func(ctx context.Context, c living.Config) error { return runCold(ctx, c, *cold, *budget) }
		}
		if err := run(ctx, c); err != nil {
			fmt.Fprintln(os.Stderr, "living:", err)
			os.Exit(1)
		}
		return
	}
	if churn.Rounds > 0 || len(churn.Deletes) > 0 {
		if err := runChurn(ctx, c, churn); err != nil {
			fmt.Fprintln(os.Stderr, "living:", err)
			os.Exit(1)
		}
		return
	}
	fmt.Println("| threads | effort | side | recall | queries a second | comparisons |")
	fmt.Println("|---|---|---|---|---|---|")
	err := c.Run(ctx, os.Stderr, func(p living.Point) {
		fmt.Printf("| %d | %d | %s | %.4f | %.0f | %.0f |\n", p.Threads, p.Effort, p.Side, p.Recall, p.Rate, p.Comparisons)
	})
	if err != nil {
		fmt.Fprintln(os.Stderr, "living:", err)
		os.Exit(1)
	}
}

// runChurn prints a history.
func runChurn(ctx context.Context, c living.Config, churn living.Churn) error {
	fmt.Println("| | rows | integrated | pending | dead | recall of lists | by the controls | of search | fewest results | integrations, seconds | compactions, seconds | puts a second | search p50, p99 |")
	fmt.Println("|---|---|---|---|---|---|---|---|---|---|---|---|---|")
	return c.RunChurn(ctx, churn, os.Stderr, func(p living.ChurnPoint) {
		fmt.Printf("| %s | %d | %d | %d | %d | %s | %s | %.4f | %d | %.1f | %d, %.1f | %.0f | %v, %v |\n", p.What, p.Rows, p.Layered, p.Pending, p.Dead,
			estimate(p.Lists), estimate(p.Controls), p.Search, p.Fewest, p.Integrating, p.Compactions, p.Compacting, p.Puts, p.Middle, p.Slow)
	})
}

// estimate shows one, unless it is of no rows.
func estimate(e builder.RecallEstimate) string {
	if e.Sample == 0 {
		return "none yet"
	}
	return fmt.Sprintf("%.4f (%.4f to %.4f)", e.Recall, e.Low, e.High)
}

// runRaise prints graphs of a recall and of a higher one, and the first compacted for that.
func runRaise(ctx context.Context, c living.Config, higher float64) error {
	fmt.Println("| | pairs a row | seconds of processor | seconds | recall |")
	fmt.Println("|---|---|---|---|---|")
	return c.RunRaise(ctx, higher, os.Stderr, func(p living.MergePoint) {
		fmt.Printf("| %s | %.0f | %.2f | %.2f | %s |\n", p.What, p.Pairs, p.CPU, p.Seconds, estimate(p.Recall))
	})
}

// runMerge prints graphs of halves and of all rows.
func runMerge(ctx context.Context, c living.Config) error {
	fmt.Println("| | pairs a row | seconds of processor | seconds | recall |")
	fmt.Println("|---|---|---|---|---|")
	return c.RunMerge(ctx, os.Stderr, func(p living.MergePoint) {
		fmt.Printf("| %s | %.0f | %.2f | %.2f | %s |\n", p.What, p.Pairs, p.CPU, p.Seconds, estimate(p.Recall))
	})
}

// runPuts prints a store that rows are put into.
func runPuts(ctx context.Context, c living.Config, effort int) error {
	fmt.Println("| | rows pending | puts a second | syncs a second | search p50 | p99 |")
	fmt.Println("|---|---|---|---|---|---|")
	return c.RunPuts(ctx, effort, os.Stderr, func(p living.PutsPoint) {
		fmt.Printf("| %s | %d | %.0f | %.0f | %v | %v |\n", p.What, p.Pending, p.Puts, p.Syncs, p.Middle, p.Slow)
	})
}

// runCold prints queries that find nothing in memory.
func runCold(ctx context.Context, c living.Config, queries int, budget int64) error {
	fmt.Println("| effort | recall | reads asked for | pages read | places followed | rows | codes | p50 | p95 |")
	fmt.Println("|---|---|---|---|---|---|---|---|---|")
	return c.RunCold(ctx, queries, budget, os.Stderr, func(p living.ColdPoint) {
		fmt.Printf("| %d | %.4f | %.0f | %.0f | %.0f | %.0f | %.0f | %v | %v |\n", p.Effort, p.Recall, p.Asked, p.Pages, p.Places, p.Rows, p.Codes, p.Middle, p.Slow)
	})
}

// numbers are those of a flag.
func numbers(name, text string) (list []int) {
	for _, part := range strings.Split(text, ",") {
		n, err := strconv.Atoi(part)
		if err != nil || n < 1 {
			fmt.Fprintf(os.Stderr, "living: -%s is %q, want whole numbers\n", name, text)
			os.Exit(2)
		}
		list = append(list, n)
	}
	return list
}
