package job

import (
	"runtime"
	"sync/atomic"
	"testing"
)

// TestRunnableHere: threads of this process that can run count as its own, this one among them.
func TestRunnableHere(t *testing.T) {
	var stop atomic.Bool
	defer stop.Store(true)
	started := make(chan struct{})
	go func() {
		close(started)
		for !stop.Load() { // a thread that can run
		}
	}()
	<-started
	most := 0
	for range 100 {
		most = max(most, runnableHere())
	}
	if want := min(2, runtime.GOMAXPROCS(0)); most < want {
		t.Errorf("%d threads run here, want at least %d", most, want)
	}
	if share := FreeShare(1); share <= 0 || share > 1 {
		t.Errorf("a share of %v", share)
	}
}
