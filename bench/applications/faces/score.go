package main

import "math"

// The measures, after section "Applications".
const (
	listed   = 10 // neighbors that local label consistency looks at
	agreeing = 6  // a row is consistent where more of them bear its label
	deepest  = 50 // K of the curves
)

// judges knows the labels and which rows are judged by themselves.
type judges struct {
	labels   []int
	size     map[int]int
	frequent []int         // rows whose label is frequent
	groups   map[int][]int // of these, by label: positions in frequent
}

func judgesOf(labels []int, least int) *judges {
	j := &judges{labels: labels, size: sizes(labels), frequent: rowsOfFrequent(labels, least), groups: map[int][]int{}}
	for i, row := range j.frequent {
		j.groups[labels[row]] = append(j.groups[labels[row]], i)
	}
	return j
}

// score is how good the lists of a graph are.
type score struct {
	all        float64   // local label consistency over all rows
	consistent []float64 // of each frequent row: 1 or 0
	precision  []float64 // [K-1], over the frequent rows
	ndcg       []float64
}

// frequent is the local label consistency over the rows judged by themselves.
func (s *score) frequent() float64 { return mean(s.consistent) }

func (j *judges) judge(lists [][]uint32) *score {
	s := new(score)
	for row := range lists {
		s.all += j.consistent(row, lists[row]) / float64(len(lists))
	}
	for _, row := range j.frequent {
		s.consistent = append(s.consistent, j.consistent(row, lists[row]))
		s.add(j.agreement(row, lists[row]), j.size[j.labels[row]]-1)
	}
	for i := range s.precision {
		s.precision[i] /= float64(len(j.frequent))
		s.ndcg[i] /= float64(len(j.frequent))
	}
	return s
}

// agreement tells of each neighbor whether it bears the label of the row.
func (j *judges) agreement(row int, list []uint32) []bool {
	agree := make([]bool, len(list))
	for i, x := range list {
		agree[i] = j.labels[x] == j.labels[row]
	}
	return agree
}

// consistent is the local label consistency of one row: 1 or 0.
func (j *judges) consistent(row int, list []uint32) float64 {
	same := 0
	for _, agrees := range j.agreement(row, list[:min(listed, len(list))]) {
		if agrees {
			same++
		}
	}
	if same > agreeing {
		return 1
	}
	return 0
}

// add adds the curves of one row. Precision@K is the share of the K nearest that
// agree. nDCG@K weighs the one at rank i by 1/log2(i+1) and divides by the value
// of a list that begins with all others of the label.
func (s *score) add(agree []bool, others int) {
	deep := min(deepest, len(agree))
	if s.precision == nil {
		s.precision, s.ndcg = make([]float64, deep), make([]float64, deep)
	}
	var same, gain, ideal float64
	for i := range deep {
		weight := 1 / math.Log2(float64(i+2))
		if agree[i] {
			same++
			gain += weight
		}
		if i < others {
			ideal += weight
		}
		s.precision[i] += same / float64(i+1)
		s.ndcg[i] += gain / ideal
	}
}

func mean(values []float64) (sum float64) {
	for _, v := range values {
		sum += v / float64(len(values))
	}
	return sum
}
