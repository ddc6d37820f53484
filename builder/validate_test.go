package builder

import (
	"errors"
	"testing"

	"github.com/knng/knng/store"
)

// TestFaultOfOneOption: Validate names an option and a value wherever one option alone is at fault.
func TestFaultOfOneOption(t *testing.T) {
	key := func(store.Row, store.Row) (float32, error) { return 0, nil }
	for option, o := range map[string]Options{
		"Spare":         {Spare: -1},
		"Metric":        {Metric: 99},
		"Balls.Slack":   {Balls: BallsOptions{Slack: MaxK + 1}},
		"Balls.Under":   {Balls: BallsOptions{Under: 2}},
		"Start.Near":    {Start: &Start{Name: "s"}},
		"Distance.Name": {Distance: &Distance{Key: key}},
		"Distance.Key":  {Distance: &Distance{Name: "d"}},
		"Threads":       {Threads: -1},
		"Scale":         {Scale: new(257)},
	} {
		o.K = 4
		err := o.Validate()
		if fault := (*OptionError)(nil); !errors.As(err, &fault) || fault.Option != option {
			t.Errorf("%s: %v", option, err)
		}
	}
}
