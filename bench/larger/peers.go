package larger

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"

	"github.com/knng/knng/bench/peers"
)

// Peers runs other builders under the limit, Repeats times. Their lists are
// judged where they finish and exact lists were given.
func (c *Config) Peers(ctx context.Context, names []string) error {
	return c.with(func(r *runner) error {
		for repeat := range c.Repeats {
			for _, name := range names {
				if err := r.peer(ctx, name, repeat); err != nil {
					return err
				}
			}
		}
		return nil
	})
}

// parametersOf are middling settings, which reach a recall of about 0.95 on
// descriptors of images where memory is no matter.
func parametersOf(name string, rows int) map[string]any {
	switch name {
	case "hnswlib", "hnswlib-batches":
		return map[string]any{"M": 16, "ef_construction": 100, "ef": 96}
	case "faiss-hnsw":
		return map[string]any{"M": 16, "efConstruction": 80, "efSearch": 96}
	case "faiss-ivf":
		return map[string]any{"nlist": int(2 * math.Sqrt(float64(rows))), "nprobe": 32}
	case "faiss-ondisk":
		return map[string]any{"nlist": int(2 * math.Sqrt(float64(rows))), "nprobe": 32, "sq8": true}
	}
	return map[string]any{}
}

func (r *runner) peer(ctx context.Context, name string, repeat int) error {
	n := r.in.Len()
	parameters, err := json.Marshal(parametersOf(name, n))
	if err != nil {
		return err
	}
	folder := filepath.Join(r.dir, "peer")
	if err := os.MkdirAll(folder, 0o777); err != nil {
		return err
	}
	args := []string{r.Python, filepath.Join(r.Scripts, "peer.py"), name, r.Data, fmt.Sprint(r.K), fmt.Sprint(r.Threads),
		string(parameters), filepath.Join(folder, "lists.ibin")}
	t := r.task(name, string(parameters), n, r.Cap, repeat)
	return r.once(ctx, t, args, folder, func(run *Run) error { return r.judgeLists(run, args[len(args)-1]) })
}

// judgeLists measures the lists that a peer left.
func (r *runner) judgeLists(run *Run, path string) error {
	j, err := r.judge(run.Rows)
	if err != nil || j == nil {
		return err
	}
	lists, width, err := peers.ReadLists(path, run.Rows)
	if err != nil {
		return err
	}
	rows, _ := r.in.Mapped()
	estimate, err := j.Ids(r.K, rows, func(row uint32) []int32 { return lists[int(row)*width : (int(row)+1)*width] })
	run.Recall, run.JudgedBy = &estimate, "truth"
	return err
}
