package tuning_test

import (
	"errors"
	"reflect"
	"testing"

	"github.com/knng/knng/store/internal/tuning"
)

// TestFind: the first queries tell the effort, which is no more than there are rows, and the others report.
func TestFind(t *testing.T) {
	o, err := tuning.Options{K: 4}.WithDefaults()
	if err != nil || o != (tuning.Options{K: 4, Recall: 0.95, Sample: 200}) {
		t.Fatalf("%+v, %v", o, err)
	}
	recalls := func(from, end, effort int) (per []float64, err error) {
		for i := from; i < end; i++ {
			per = append(per, min(1, float64(effort)/float64(20+i)))
		}
		return per, nil
	}
	for n, want := range map[int]tuning.Found{
		1000: {Effort: 22, Reached: true, PerQuery: []float64{1, 22. / 23, 22. / 24}},
		5:    {Effort: 5, PerQuery: []float64{5. / 22, 5. / 23, 5. / 24}},
		3:    {Effort: 3, PerQuery: []float64{3. / 22, 3. / 23, 3. / 24}},
	} {
		for _, r := range want.PerQuery {
			want.Recall += r
		}
		want.Recall /= 3
		if f, err := o.Find(n, 5, recalls); err != nil || !reflect.DeepEqual(f, want) {
			t.Errorf("of %d rows: %+v, %v, want %+v", n, f, err, want)
		}
	}
	broken := errors.New("broken")
	if _, err := o.Find(9, 5, func(int, int, int) ([]float64, error) { return nil, broken }); err != broken {
		t.Error(err)
	}
	for _, o := range []tuning.Options{{K: -1}, {Recall: 1.5}, {Recall: -1}, {Sample: -1}} {
		if _, err := o.WithDefaults(); err == nil {
			t.Errorf("%+v is taken", o)
		}
	}
}

// TestFindOfHarderQueries: where those that report find less than asked for, by more than chance, the effort grows until they do not.
func TestFindOfHarderQueries(t *testing.T) {
	o, err := tuning.Options{K: 4}.WithDefaults()
	if err != nil {
		t.Fatal(err)
	}
	f, err := o.Find(1000, 200, func(from, end, effort int) (per []float64, err error) {
		for i := from; i < end; i++ {
			wanted := 10.0 // for all neighbors
			if i >= 100 {
				wanted = 40 + float64(i%3)
			}
			per = append(per, min(1, float64(effort)/wanted))
		}
		return per, nil
	})
	if err != nil || f.Effort < 37 || f.Effort > 48 || f.Recall < 0.93 || len(f.PerQuery) != 100 {
		t.Errorf("effort %d finds %v of %d queries, %v", f.Effort, f.Recall, len(f.PerQuery), err)
	}
}
