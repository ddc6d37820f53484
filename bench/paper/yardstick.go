package paper

import (
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"sync"
	"time"
)

// slower is how many times as long as in good hours a yardstick may take where a run's
// time is to count. Shared machines took up to four times as long for the same build; the
// yardstick itself came out 1.3 times longer or shorter from one minute to the next.
const slower = 1.5

// yardstickRows are 32 MiB of rows of 128 float32, more than a core's own caches hold.
var yardstickRows = sync.OnceValue(func() []float32 {
	const floats = 8 << 20
	rng := rand.New(rand.NewPCG(1, 1))
	rows := make([]float32, floats)
	for i := range rows {
		rows[i] = rng.Float32()
	}
	return rows
})

// yardstick is how many seconds a fixed piece of work takes now: distances of a row to
// rows drawn at random, in plain Go. It needs arithmetic, caches and memory as all systems
// do, and takes some tens of milliseconds; the least of three counts, by which a moment of
// other work does not make a slow hour.
func yardstick() float64 {
	rows := yardstickRows()
	least := math.Inf(1)
	for range 3 {
		began := time.Now()
		runtime.KeepAlive(walk(rows, 200_000)) // it is not left out
		least = min(least, time.Since(began).Seconds())
	}
	return least
}

func walk(rows []float32, pairs int) (least float32) {
	const dim = 128
	rng := rand.New(rand.NewPCG(2, 2))
	query := rows[:dim]
	least = 1e30
	for range pairs {
		at := dim * rng.IntN(len(rows)/dim)
		var sum float32
		for i, x := range rows[at : at+dim] {
			d := x - query[i]
			sum += d * d
		}
		least = min(least, sum)
	}
	return least
}

// goodYardstick is that of good hours: the first quartile of all runs; 0 where none kept it.
func goodYardstick(runs []Run) float64 {
	var all []float64
	for _, r := range runs {
		if r.Yardstick > 0 {
			all = append(all, r.Yardstick)
		}
	}
	if len(all) == 0 {
		return 0
	}
	slices.Sort(all)
	return all[len(all)/4]
}

// steady reports whether a run was made in a good hour.
func (r *Run) steady(good float64) bool {
	return r.Yardstick > 0 && r.Yardstick <= slower*good
}
