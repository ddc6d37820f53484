package till

// Total is the sum of the prices.
func Total(items []int) int {
	sum := 0
	for _, x := range items {
		sum += x
	}
	return sum
}
