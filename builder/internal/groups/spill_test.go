package groups

import (
	"testing"

	"github.com/knng/knng/builder/internal/fixed"
)

// TestBuffers: buffers hold a record, and all of them together what is planned for them.
func TestBuffers(t *testing.T) {
	for _, groups := range []int{1, 7, 500, 4000, 100_000} {
		for _, record := range []int{9, 150, 3000, 70_000} {
			for stretches := 1; stretches <= 4; stretches++ {
				abreast, bytes := buffers(groups, record, stretches)
				if bytes < record || abreast < 1 || abreast > stretches {
					t.Errorf("%d groups, records of %d: %d stretches of %d side by side, %d bytes each", groups, record, abreast, stretches, bytes)
				}
				if all := abreast * groups * bytes; all > max(fixed.GroupBuffers, groups*record) {
					t.Errorf("%d groups, records of %d, %d stretches: %d bytes together", groups, record, stretches, all)
				}
			}
		}
	}
}
