//go:build amd64 && !noasm

package simd

import "unsafe"

// codes2 are the tiles of AVX2.
func codes2() *Codes {
	c := lists2.codes()
	c.Steps = stepsBy(stepsByEights2)
	inWords(c)
	return c
}

// inWords gives codes products by AVX2. Panels hold words, as rows do while they are
// compared: see codes_avx2_amd64.s. Short codes stay bytes.
func inWords(c *Codes) {
	c.wide, c.roomy = 2, 3
	c.Pack = packBy(packWords2, 0x80808080, 2)
	c.Dots = dotsWords
	c.narrow = narrowBy2(c)
	shortBy2(c)
}

// dotsWords is Dots of words. Behind the rows room has, for each quad of rows, the groups in
// which they have anything but zeros, and how many: images are dark at their edges.
func dotsWords(rows *[16]*byte, n, groups int, panels []byte, c []int32, ldc int, room []byte) {
	stride := PanelBytes(2 * groups)
	count := len(panels) / stride
	if n <= 0 || count == 0 {
		return
	}
	quads, plane := (n+3)/4, stride/32
	lists := (*uint32)(unsafe.Pointer(&room[32*plane]))
	counts := new([4]int)
	_, _ = c[(4*quads-1)*ldc+16*count-1], room[36*plane-1]
	widen2(rows, quads, groups, &room[0], plane, lists, &counts[0])
	dotsWords2(quads, &room[0], plane, groups, &panels[0], stride, count, &c[0], ldc, lists, &counts[0])
}

// codes2Bytes are the tiles of AVX2 where the CPU multiplies bytes.
func codes2Bytes() *Codes {
	c := lists2.codes()
	c.Steps = stepsBy(stepsByEights2)
	c.Pack = packBy(pack2, 0x80808080, 1)
	c.Dots = func(rows *[16]*byte, n, groups int, panels []byte, c []int32, ldc int, _ []byte) {
		stride := PanelBytes(groups)
		count := len(panels) / stride
		if n <= 0 || count == 0 {
			return
		}
		quads := (n + 3) / 4
		_ = c[(4*quads-1)*ldc+16*count-1]
		dotsBytes2(quads, rows, groups, &panels[0], stride, count, &c[0], ldc)
	}
	return c
}

// packBy returns a packing of panels by halves, of dwords that it flips and makes so many
// times as wide.
func packBy(pack func(rows *[8]*byte, groups int, panel *byte, flip uint32), flip uint32, wide int) func(rows *[16]*byte, groups int, panel []byte) {
	return func(rows *[16]*byte, groups int, panel []byte) {
		_ = panel[PanelBytes(wide*groups)-1]
		pack((*[8]*byte)(rows[:8]), groups, &panel[0], flip)
		pack((*[8]*byte)(rows[8:]), groups, &panel[32], flip)
	}
}

// fronts says, for each set of eight lanes, which lane comes to which place when those of
// the set move to the front: a byte a place.
//
//lint:ignore U1000 assembly reads it
var fronts = func() (t [256][8]byte) {
	for set := range t {
		n := 0
		for lane := range 8 {
			if set>>lane&1 != 0 {
				t[set][n] = byte(lane)
				n++
			}
		}
	}
	return t
}()

//go:noescape
func pack2(rows *[8]*byte, groups int, panel *byte, flip uint32)

//go:noescape
func packWords2(rows *[8]*byte, groups int, panel *byte, flip uint32)

//go:noescape
func widen2(rows *[16]*byte, quads, groups int, room *byte, plane int, lists *uint32, counts *int)

//go:noescape
func dotsWords2(quads int, room *byte, plane, groups int, panels *byte, stride, count int, c *int32, ldc int, lists *uint32, counts *int)

//go:noescape
func dotsBytes2(quads int, rows *[16]*byte, groups int, panels *byte, stride, count int, c *int32, ldc int)
