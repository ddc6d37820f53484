package speed

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"
	"unicode"

	"github.com/knng/knng/bench/peers"
	"github.com/knng/knng/vectors"
	"github.com/knng/knng/vectors/codes"
	"github.com/knng/knng/vectors/distance"
	"github.com/knng/knng/vectors/products"
)

const (
	leafRows = 960    // of a leaf: builds have fewer than 1,000
	rateRows = 50_000 // that leaves are taken from, one after the other
)

// leaves compares the rates of leaves with the best of the kernels, and shows
// where the time of whole builds goes.
func (c *Config) leaves(ctx context.Context) (all error) {
	fmt.Fprintf(c.Out, "\nLeaves of %d rows, one after the other, a thread. GF/s are 2*dim operations a pair multiplied. Peak: products of rows that stay in\n"+
		"cache, nothing else. Leaf: rows gathered, packed, multiplied, and what is near found: u8 each row with those before it, within limits\n"+
		"as lists have, f32 with all. Ssyrk computes each pair once and is counted so.\n\n| set | arithmetic | threads | peak, million pairs/s | leaf, million pairs/s | leaf of peak | leaf, GF/s | OpenBLAS ssyrk, GF/s |\n|---|---|---|---|---|---|---|---|\n", leafRows)
	for _, name := range []string{"sift", "gist", "mnist"} {
		if err := c.rates(ctx, name); err != nil {
			return err
		}
	}
	for _, name := range []string{"sift", "gist", "mnist"} {
		set, err := c.set(name)
		if err != nil {
			return err
		}
		if budget(&all, c.phases(ctx, set)) {
			return all
		}
	}
	return all
}

// rates prints the rates of one set's leaves.
func (c *Config) rates(ctx context.Context, name string) error {
	set, err := c.set(name)
	if err != nil {
		return err
	}
	in, err := vectors.Open([]string{set.Path}, &vectors.OpenOptions{Limit: rateRows, Scratch: c.Run.Scratch})
	if err != nil {
		return err
	}
	defer in.Close()
	rows, ok := in.Mapped()
	if !ok {
		return fmt.Errorf("speed: %s cannot be mapped", set.Path)
	}
	space, err := distance.New(distance.Euclidean, rows.Type(), rows.Dim())
	if err != nil {
		return err
	}
	rounding, _ := codes.Fit(rows, space)
	bytes, err := codes.Of(rows, space, rounding, c.Threads)
	if err != nil {
		return err
	}
	floats, err := products.Of(rows, space, c.Threads)
	if err != nil {
		return err
	}
	for threads := 1; threads <= c.Threads; threads += max(1, c.Threads-1) {
		blas := c.ssyrk(ctx, rows.Dim(), threads)
		for _, a := range []arithmetic{{"u8", func() leafTile { return &codesLeaf{tile: bytes.NewTile()} }, "-"},
			{"f32", func() leafTile { return &productsLeaf{tile: floats.NewTile()} }, blas}} {
			peak, leaf := rate(threads, rows.Len(), a.tile, true), rate(threads, rows.Len(), a.tile, false)
			fmt.Fprintf(c.Out, "| %s, %d | %s | %d | %.0f | %.0f | %.2f | %.0f | %s |\n", name, rows.Dim(), a.name, threads, peak/1e6, leaf/1e6, leaf/peak,
				leaf*2*float64(rows.Dim())/1e9, a.blas)
		}
	}
	return nil
}

// arithmetic is a way to compare rows.
type arithmetic struct {
	name string
	tile func() leafTile
	blas string
}

// ssyrk is the rate of OpenBLAS on such leaves.
func (c *Config) ssyrk(ctx context.Context, dim, threads int) string {
	out, err := exec.CommandContext(ctx, c.Run.Python, filepath.Join(c.Run.Scripts, "ssyrk.py"), fmt.Sprint(leafRows), fmt.Sprint(dim), fmt.Sprint(threads)).Output()
	var result struct{ GFlops float64 }
	if err = errors.Join(err, json.Unmarshal(out, &result)); err != nil {
		return "not there"
	}
	return fmt.Sprintf("%.0f", result.GFlops)
}

// phases prints where the time of builds goes, and how the exact mode compares.
func (c *Config) phases(ctx context.Context, set peers.Set) error {
	settings := asking(nil, recalls...)
	if set.Name != "sift" { // a million rows take minutes: figure 2
		settings = append(settings, exactMode)
	}
	return c.on(ctx, set, c.K, settings, func(r *peers.Runner, points []peers.Point) {
		fmt.Fprintf(c.Out, "\n%s, %d x %d: seconds by phase of one run\n\n| asked for | recall | all, s | CPU s | phases |\n|---|---|---|---|---|\n", set.Name, r.Len(), r.Dim())
		for _, p := range points {
			if p.Build == nil || p.Repeat != 0 || (p.Side() != peers.Ours && p.Side() != "knng exact") {
				continue
			}
			fmt.Fprintf(c.Out, "| %s %v | %.4f | %.2f | %.2f | %s |\n", p.Side(), p.Parameters["recall"], p.Recall.Recall, p.FileSeconds, p.CPUSeconds, byPhase(p))
		}
	})
}

// byPhase adds up phases whose names differ in numbers alone, and prints
// the operations of all pairs.
func byPhase(p peers.Point) string {
	var names []string
	seconds, all := map[string]float64{}, 0.0
	for _, phase := range p.Build.Phases {
		name := strings.TrimRightFunc(phase.Name, func(r rune) bool { return unicode.IsDigit(r) || r == ' ' })
		if _, ok := seconds[name]; !ok {
			names = append(names, name)
		}
		seconds[name] += phase.Seconds
		all += phase.Seconds
	}
	var shown []string
	for _, name := range names {
		text := fmt.Sprintf("%s %.2f (%.0f %%)", name, seconds[name], 100*seconds[name]/all)
		if name == "exact" {
			pairs := float64(p.Rows) * float64(p.Rows-1) / 2
			text += fmt.Sprintf(", %.0f million pairs/s, %.0f GF/s", pairs/seconds[name]/1e6, 2*float64(p.Build.Dim)*pairs/seconds[name]/1e9)
		}
		shown = append(shown, text)
	}
	return strings.Join(shown, ", ")
}
