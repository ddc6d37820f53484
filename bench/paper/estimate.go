package paper

import (
	"fmt"
	"math"
	"time"
)

// perByte is the factor of a build's time for the bytes of a row: one of 128 bytes
// takes 1, one of 384 float32 2.65.
func perByte(bytes int) float64 { return 0.85 + 0.15*float64(bytes)/128 }

// powersOf are the exponents of n that an estimate takes; 1.1 for the others.
var powersOf = map[string]float64{Naive: 1, Blocked: 2, Tiles: 2, Glue: 1.2, Overlap: 1.3, Virmajoki: 1.5}

// about is the estimate of a job from its setting alone, in seconds.
func (j *job) about() float64 {
	n := float64(j.Rows) / 100_000
	if j.Study == theoryStudy {
		return 50 * n * 5 * perByte(j.data.rows.Stride())
	}
	power, ok := powersOf[j.System]
	if !ok {
		power = 1.1
	}
	if j.System == Blocked && j.Rows > allPairsRows {
		power = 1
	}
	return j.setting.Cost * math.Pow(n, power) * perByte(j.data.rows.Stride()*j.Dim/j.data.dim) * perK(j.System, j.K)
}

// perK is the factor of a build's time for lists of k: lists of 20 take 1.
func perK(system string, k int) float64 {
	switch system {
	case Glue, Overlap: // the neighbors of all neighbors, at every level
		return 0.3 + 0.7*math.Pow(float64(k)/20, 1.8)
	case Naive, Blocked, Tiles:
		return 1
	}
	return 0.8 + 0.2*float64(k)/20
}

// pace holds the ratio of the time of builds to the estimate: by data, system and k,
// by data and system, and of all.
type pace map[string]*ratio

type ratio struct{ took, about float64 }

func (t *Task) paces() [3]string {
	return [3]string{fmt.Sprint(t.Data, t.System, t.K), fmt.Sprint(t.Data, t.System), ""}
}

// met learns from a build.
func (p pace) met(j *job, r Run) {
	for _, key := range j.paces() {
		if p[key] == nil {
			p[key] = &ratio{}
		}
		p[key].took += r.Wall
		p[key].about += j.about()
	}
}

// learn learns from the runs of earlier sessions.
func (r *runner) learn(stages []stage) {
	for _, s := range stages {
		for i := range s.jobs {
			if run, ok := r.log.Find(s.jobs[i].Task); ok && r.counts(&run) {
				r.pace.met(&s.jobs[i], run)
			}
		}
	}
}

// of corrects an estimate by the builds that are most like it.
func (p pace) of(j *job) float64 {
	for _, key := range j.paces() {
		if r := p[key]; r != nil && r.about > 0 {
			return j.about() * r.took / r.about
		}
	}
	return j.about()
}

// expect is how long a job will take, most likely: as long as with another seed,
// if that was run, and no longer than its limit.
func (r *runner) expect(j *job) time.Duration {
	seconds, ok := r.otherSeed(j)
	if !ok {
		seconds = r.pace.of(j)
	}
	return min(time.Duration(seconds*float64(time.Second)), j.limit)
}

// otherSeed is how long a job took with another seed.
func (r *runner) otherSeed(j *job) (seconds float64, ok bool) {
	for _, seed := range r.Seeds {
		other := j.Task
		other.Seed = seed
		if run, ok := r.log.Find(other); ok && (!r.Again || run.steady(r.good)) {
			return max(run.Wall, run.Expected), true
		}
	}
	return 0, false
}

// hopeless reports whether a setting of a series would be ended by its limit, as far
// as builds of the same system on the same data tell, and how long it would take.
func (r *runner) hopeless(j *job) (seconds float64, is bool) {
	if j.series == "" {
		return 0, false
	}
	seconds, ok := r.otherSeed(j)
	if keys := j.paces(); !ok && (r.pace[keys[0]] != nil || r.pace[keys[1]] != nil) {
		seconds = r.pace.of(j)
	}
	return seconds, seconds > j.limit.Seconds()
}

// leave logs a build that is hopeless as one that its limit ended, once: its system was
// tried as far as it goes.
func (r *runner) leave(j *job, seconds float64) error {
	if run, ok := r.log.Find(j.Task); ok && run.Expected > 0 {
		return nil
	}
	r.Say("%s %dx%d k=%d seed %d: %s, %s would take %.0f s, and is not begun", j.Data, j.Rows, j.Dim, j.K, j.Seed, j.System, j.Setting, seconds)
	return r.log.Add(Run{Task: j.Task, TimedOut: true, Seconds: j.limit.Seconds(), Expected: seconds, Threads: max(r.Threads, 1),
		Date: time.Now().UTC().Format(time.RFC3339), Commit: r.Commit, Command: r.Command})
}

// tell says how much there is to do, by stage.
func (r *runner) tell(stages []stage) {
	builds, times := map[string]int{}, map[string]time.Duration{}
	_ = r.undone(stages, func(s *stage, j *job, hopeless float64) (Run, error) {
		if hopeless == 0 {
			builds[s.name]++
			times[s.name] += r.expect(j)
		}
		return Run{}, nil
	})
	count, all := 0, time.Duration(0)
	for _, s := range stages {
		if n := builds[s.name]; n > 0 {
			count += n
			all += times[s.name]
			r.Say("%4d builds, about %4.0f min (%4.0f in all): %s", n, times[s.name].Minutes(), all.Minutes(), s.name)
		}
	}
	r.Say("%d builds are to be done, in about %.0f minutes", count, all.Minutes())
}
