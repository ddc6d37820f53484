//go:build (amd64 || arm64) && !noasm

package simd

// dotsByEights is Dots by a kernel for eight rows.
func dotsByEights(dots func(rows *[8]*byte, groups int, panels *byte, stride, count int, c *int32, ldc int)) func(*[16]*byte, int, int, []byte, []int32, int, []byte) {
	return func(rows *[16]*byte, n, groups int, panels []byte, c []int32, ldc int, _ []byte) {
		stride := PanelBytes(groups)
		count := len(panels) / stride
		for at := 0; at < n && count > 0; at += 8 {
			_ = c[(at+7)*ldc+16*count-1]
			dots((*[8]*byte)(rows[at:]), groups, &panels[0], stride, count, &c[at*ldc], ldc)
		}
	}
}
