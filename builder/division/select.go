package division

// selectNth reorders a so that a[:n] are its n smallest entries. The order is
// total (rows differ), so which entries those are is unique however they got
// there. Hoare's selection with the median of three; ties in the projection
// fall to the hash, so duplicated rows cannot make it quadratic.
func selectNth(a []entry, n int) {
	for len(a) > 12 {
		p := pivot(a)
		i, j := 0, len(a)-1
		for i <= j {
			for a[i].less(&p) {
				i++
			}
			for p.less(&a[j]) {
				j--
			}
			if i <= j {
				a[i], a[j] = a[j], a[i]
				i++
				j--
			}
		}
		switch {
		case n <= j:
			a = a[:j+1]
		case n >= i:
			a, n = a[i:], n-i
		default:
			return
		}
	}
	insertionSort(a)
}

// pivot is the median of three, of nines where a is large.
func pivot(a []entry) entry {
	m := len(a) / 2
	if len(a) < 1024 {
		return median3(a[0], a[m], a[len(a)-1])
	}
	e := len(a) / 8
	return median3(median3(a[0], a[e], a[2*e]), median3(a[m-e], a[m], a[m+e]),
		median3(a[len(a)-1-2*e], a[len(a)-1-e], a[len(a)-1]))
}

func median3(a, b, c entry) entry {
	if b.less(&a) {
		a, b = b, a
	}
	if c.less(&b) {
		b = c
		if b.less(&a) {
			b = a
		}
	}
	return b
}

func insertionSort(a []entry) {
	for i := 1; i < len(a); i++ {
		for j := i; j > 0 && a[j].less(&a[j-1]); j-- {
			a[j], a[j-1] = a[j-1], a[j]
		}
	}
}
