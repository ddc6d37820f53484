package main

import (
	"context"
	"fmt"

	"github.com/knng/knng/builder"
	"github.com/knng/knng/builder/shards"
	"github.com/knng/knng/vectors"
)

// planShards plans the build that many machines would make.
func (b *buildFlags) planShards(ctx context.Context, g *globals, inputs []string, cluster string) error {
	var workers, threads int
	if n, err := fmt.Sscanf(cluster, "%dx%d", &workers, &threads); n != 2 || err != nil || workers < 1 || threads < 1 || fmt.Sprintf("%dx%d", workers, threads) != cluster {
		return usageError{fmt.Errorf("--cluster is %q, want machines x threads, such as 20x16", cluster)}
	}
	if b.opts.Method != builder.Auto && b.opts.Method != builder.Parts {
		return usageError{fmt.Errorf("--cluster builds by method parts, not %s", b.opts.Method)}
	}
	if err := shards.Takes(b.opts.Metric); err != nil {
		return err
	}
	b.opts.Method = builder.Parts
	in, err := g.openInput(ctx, inputs, vectors.OpenOptions{Limit: b.limit, Scratch: b.opts.Scratch, Remote: shards.Remote(b.opts.Scratch)})
	if err != nil {
		return err
	}
	defer in.Close()
	p, err := builder.Plan(ctx, in, b.opts)
	if err != nil {
		return err
	}
	s := shards.PlanOf(p, in.Dim()*in.Type().Size(), workers, threads)
	if g.json {
		return g.printJSON(s)
	}
	fmt.Fprintln(g.stdout, p.Course())
	fmt.Fprintf(g.stdout, "%d machines of %d threads, as fast as those of this one\n", workers, threads)
	fmt.Fprintf(g.stdout, "computing  %.1f core-hours, %s if all are always busy, %s as each stage is awaited\n", s.CoreSeconds/3600, planned(s.ComputeSeconds), planned(s.AwaitedSeconds))
	fmt.Fprintf(g.stdout, "disks      %s read, %s written, %s at %d MB/s a machine\n", size(s.ReadBytes), size(s.WrittenBytes), planned(s.DiskSeconds), int(shards.DiskRate/1e6))
	fmt.Fprintf(g.stdout, "memory     %s for a task of one thread at least, %s for knng unite\n", size(s.TaskBytes), size(s.UniteBytes))
	fmt.Fprintf(g.stdout, "the run    %s at the peak; a machine reads %s\n", size(s.PeakDiskBytes), size(s.WorkerReadBytes))
	return nil
}
