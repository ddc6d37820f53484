//go:build amd64 && !noasm

package simd

import "unsafe"

// narrowBy2 returns the table of words with products of narrow codes as bytes.
func narrowBy2(words *Codes) func(Narrowing) *Codes {
	return func(n Narrowing) *Codes {
		c := *words
		c.narrow, c.short = nil, nil
		c.panel = PanelBytes(2*n.Wide) + PanelBytes(n.Groups-n.Wide)
		c.Pack = n.pack2
		c.Dots = func(rows *[16]*byte, count, _ int, panels []byte, sums []int32, ldc int, room []byte) {
			n.dots2(rows, count, panels, c.panel, sums, ldc, room)
		}
		c.Pairs = func(rows *[16]*byte, count, _ int, panels []byte, norms, adds, bounds, either, d []uint32, ldd int, marks []uint64, ldm int, room []byte) {
			n.pairs2(rows, count, panels, c.panel, norms, adds, bounds, either, d, ldd, marks, ldm, room)
		}
		return &c
	}
}

// pack2 packs words of the wide groups, then bytes.
func (n Narrowing) pack2(rows *[16]*byte, _ int, panel []byte) {
	words, narrow := PanelBytes(2*n.Wide), n.Groups-n.Wide
	_ = panel[words+PanelBytes(narrow)-1]
	if n.Wide > 0 {
		packWords2((*[8]*byte)(rows[:8]), n.Wide, &panel[0], 0x80808080)
		packWords2((*[8]*byte)(rows[8:]), n.Wide, &panel[32], 0x80808080)
	}
	var rest [16]*byte
	for i, row := range rows {
		rest[i] = (*byte)(unsafe.Add(unsafe.Pointer(row), 4*n.Wide))
	}
	pack2((*[8]*byte)(rest[:8]), narrow, &panel[words], 0x80808080)
	pack2((*[8]*byte)(rest[8:]), narrow, &panel[words+32], 0x80808080)
}

// rows2 brings rows, in quads, to the form that kernels read, and returns the bytes of one.
func (n Narrowing) rows2(rows *[16]*byte, quads int, room []byte) (length int) {
	length = 4 * (n.Wide + n.Groups)
	_ = room[4*quads*length-1]
	narrowRows2(rows, 4*quads, n.Wide/NarrowStep, (n.Pairs-n.Wide)/NarrowStep, (n.Groups-n.Pairs)/NarrowStep, &room[0])
	return length
}

func (n Narrowing) dots2(rows *[16]*byte, count int, panels []byte, stride int, c []int32, ldc int, room []byte) {
	panelCount := len(panels) / stride
	if count <= 0 || panelCount == 0 {
		return
	}
	quads := (count + 3) / 4
	_ = c[(4*quads-1)*ldc+16*panelCount-1]
	length := n.rows2(rows, quads, room)
	dotsNarrow2(quads, &room[0], length, n.Wide, n.Pairs, n.Groups, &panels[0], stride, panelCount, &c[0], ldc)
}

func (n Narrowing) pairs2(rows *[16]*byte, count int, panels []byte, stride int, norms, adds, bounds, either, d []uint32, ldd int, marks []uint64, ldm int, room []byte) {
	panelCount := len(panels) / stride
	if count <= 0 || panelCount == 0 {
		return
	}
	quads := (count + 3) / 4
	last := 4*quads - 1
	_, _, _, _ = norms[16*panelCount-1], adds[last], bounds[last], either[16*panelCount-1]
	_, _ = d[last*ldd+16*panelCount-1], marks[last*ldm+(16*panelCount-1)/64]
	length := n.rows2(rows, quads, room)
	pairsNarrow2(quads, &room[0], length, n.Wide, n.Pairs, n.Groups, &panels[0], stride, panelCount, &d[0], ldd, &norms[0], &adds[0], &bounds[0], &either[0], &marks[0], ldm)
}

//go:noescape
func narrowRows2(rows *[16]*byte, n, wide, pairs, fours int, room *byte)

//go:noescape
func dotsNarrow2(quads int, room *byte, length, wide, pairs, groups int, panels *byte, stride, count int, c *int32, ldc int)

//go:noescape
func pairsNarrow2(quads int, room *byte, length, wide, pairs, groups int, panels *byte, stride, count int, d *uint32, ldd int, norms, adds, bounds, either *uint32, marks *uint64, ldm int)
