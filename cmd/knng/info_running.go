package main

import (
	"encoding/json"
	"fmt"
	"time"

	"github.com/knng/knng/builder"
	"github.com/knng/knng/store"
)

// runningInfo says how far a build is that another process runs, as that told last; locked
// is the error that names the process, which is all that is known of one that tells nothing.
func runningInfo(g *globals, dir string, locked error) error {
	told, at := toldOf(dir)
	if at.IsZero() {
		return locked
	}
	age := max(0, time.Since(at))
	if g.json {
		return g.printWith(told, map[string]any{"dir": dir, "finished": false, "running": true, "age_seconds": age.Seconds()})
	}
	fmt.Fprintf(g.stdout, "%s: a build is running here\n", oneLine(dir))
	if told.Share > 0 {
		fmt.Fprintf(g.stdout, "done       %d %% in %s, %s left\n", wholePercent(told.Share), short(seconds(told.Seconds)), short(seconds(told.Left)))
	} else {
		fmt.Fprintf(g.stdout, "done       for %s; how much is left is not known yet\n", short(seconds(told.Seconds)))
	}
	if told.Phase != "" { // a build that has just gone on is in none yet
		phase := oneLine(told.Phase)
		if told.Total > 0 {
			phase += fmt.Sprintf(": %d of %d %s", told.Done, told.Total, oneLine(told.Unit))
		}
		fmt.Fprintf(g.stdout, "phase      %s\n", phase)
	}
	if told.Recall > 0 {
		fmt.Fprintf(g.stdout, "recall     %.4f so far", told.Recall)
		if told.Asked > 0 {
			fmt.Fprintf(g.stdout, ", %.4g asked for", told.Asked)
		}
		fmt.Fprintln(g.stdout)
	}
	fmt.Fprintf(g.stdout, "memory     %s anonymous; disk %s\n", size(told.Memory), size(told.Disk))
	fmt.Fprintf(g.stdout, "told       %s ago\n", short(age))
	return nil
}

// linksInfo is how far the links of search are that another process makes in a finished store
// now, nil where none does: that tells it every second.
func linksInfo(dir string) *builder.Told {
	told, at := toldOf(dir)
	if time.Since(at) > 5*tellEvery {
		return nil
	}
	return &told
}

// toldOf is the progress that a build published last, and when; at is zero where it did not.
func toldOf(dir string) (told builder.Told, at time.Time) {
	text, at, err := store.Told(dir)
	if err != nil || json.Unmarshal(text, &told) != nil {
		return builder.Told{}, time.Time{}
	}
	return told, at
}

// printLinks prints how far links are that are being made.
func printLinks(g *globals, told *builder.Told) {
	if told == nil {
		return
	}
	fmt.Fprint(g.stdout, "search     its links are being made")
	if told.Total > 0 {
		fmt.Fprintf(g.stdout, ": %d of %d %s", told.Done, told.Total, oneLine(told.Unit))
	}
	if told.Share > 0 {
		fmt.Fprintf(g.stdout, "; %d %% of build and links done, %s left", wholePercent(told.Share), short(seconds(told.Left)))
	}
	fmt.Fprintln(g.stdout)
}

func seconds(s float64) time.Duration { return time.Duration(s * float64(time.Second)) }
