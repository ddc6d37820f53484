package peers_test

import (
	"fmt"

	"github.com/knng/knng/bench/peers"
	"github.com/knng/knng/builder"
)

func ExampleCompare() {
	run := func(peer string, recall, seconds float64) peers.Point {
		task := peers.Task{Setting: peers.Setting{Peer: peer, Parameters: map[string]any{"recall": recall}}}
		return peers.Point{Task: task, Recall: builder.RecallEstimate{Recall: recall}, MemorySeconds: seconds}
	}
	points := []peers.Point{run(peers.Ours, 0.9, 2), run(peers.Ours, 0.95, 3), run("hnswlib", 0.95, 24)}
	ours, others := peers.Compare(points, 0.95, peers.Clocks[peers.MemoryClock])
	fmt.Printf("%.1f s, %s %.1f s\n", ours, others[0].Peer, others[0].Seconds)
	// Output: 3.0 s, hnswlib 24.0 s
}
