package plan

import (
	"cmp"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
)

// Lines returns the plan as two lines for people.
func (p *Plan) Lines() []string {
	second := fmt.Sprintf("%s of memory, %s of disk; reads %s, writes %s",
		bytesText(p.PeakAnonBytes), bytesText(p.PeakDiskBytes), bytesText(p.ReadBytes), bytesText(p.WrittenBytes))
	if p.Seconds > 0 {
		second += "; about " + time.Duration(p.Seconds*float64(time.Second)).Round(time.Second/10).String()
	}
	return []string{p.Course(), second}
}

// courses names the stages of each method; methods not listed have those of the paper's.
var courses = map[string]string{
	"exact": "all pairs",
	"tree":  "exact, by a k-d tree",
	"paper": "DIVISIONS divisions, ROUNDS rounds",
	"balls": "each row in DIVISIONS balls, ROUNDS rounds",
	"parts": "each row in DIVISIONS leaves",
}

// Course returns the method and the number of its stages, for people.
func (p *Plan) Course() string {
	s := fmt.Sprintf("method %s, %d rows of %d, k=%d", p.Method, p.Rows, p.Dim, p.K)
	course := cmp.Or(courses[p.Method], courses["paper"])
	if p.Method == "parts" && p.InGroups == 0 { // under inner products
		course = "each row looks into DIVISIONS balls"
	}
	s += ": " + strings.NewReplacer("DIVISIONS", strconv.Itoa(p.Divisions), "ROUNDS", rounded(p.Rounds)).Replace(course)
	if p.Recall > 0 {
		s += fmt.Sprintf(" (an estimate for recall %.2f)", p.Recall)
	}
	return s
}

// rounded shows an expected number of rounds to the nearest half; below a tenth there is most likely none.
func rounded(x float64) string {
	switch whole := math.Round(x); {
	case x < 0.1:
		return "0"
	case x < 0.75:
		return "0 or 1"
	default:
		return strconv.FormatFloat(whole, 'f', -1, 64)
	}
}

func bytesText(n int64) string {
	if n >= 1<<30 {
		return fmt.Sprintf("%.2f GiB", float64(n)/(1<<30))
	}
	return fmt.Sprintf("%.1f MiB", float64(n)/(1<<20))
}
