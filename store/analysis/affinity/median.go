package affinity

import "math"

// median is the lower median of all similarities, and mean that of their absolute values;
// both 0 where there are none. Two passes count the high and then the low halves of numbers
// whose order is that of the floats; 512 KiB are held.
func median(lists Lists) (middle float32, mean float64, err error) {
	count := make([]int64, 1<<16)
	all, err := tally(lists, count, func(x uint32) (int, bool) {
		mean += math.Abs(float64(fromOrdered(x)))
		return int(x >> 16), true
	})
	if err != nil || all == 0 {
		return 0, 0, err
	}
	mean /= float64(all)
	high, before := find(count, (all-1)/2)
	clear(count)
	if _, err := tally(lists, count, func(x uint32) (int, bool) { return int(x & 0xffff), int(x>>16) == high }); err != nil {
		return 0, 0, err
	}
	low, _ := find(count, (all-1)/2-before)
	return fromOrdered(uint32(high)<<16 | uint32(low)), mean, nil
}

// tally counts the similarities by the index that of returns, and all that count.
func tally(lists Lists, count []int64, of func(x uint32) (at int, counts bool)) (all int64, err error) {
	err = lists(func(_ uint32, _ []uint32, s []float32) error {
		for _, v := range s {
			if at, counts := of(ordered(v)); counts {
				count[at]++
				all++
			}
		}
		return nil
	})
	return all, err
}

// find returns where the number of rank rank was counted, and how many were
// counted before that place.
func find(count []int64, rank int64) (at int, before int64) {
	for before+count[at] <= rank {
		before += count[at]
		at++
	}
	return at, before
}

// ordered maps floats to integers in the same order.
func ordered(v float32) uint32 {
	x := math.Float32bits(v)
	if x>>31 == 1 {
		return ^x
	}
	return x | 1<<31
}

func fromOrdered(x uint32) float32 {
	if x>>31 == 1 {
		return math.Float32frombits(x &^ (1 << 31))
	}
	return math.Float32frombits(^x)
}
