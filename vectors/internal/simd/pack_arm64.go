//go:build arm64 && !noasm

package simd

// packBy returns a packing of panels, whose bytes it flips.
func packBy(flip uint32) func(rows *[16]*byte, groups int, panel []byte) {
	return func(rows *[16]*byte, groups int, panel []byte) {
		_ = panel[PanelBytes(groups)-1]
		for j := 0; j < 16; j += 4 {
			pack4((*[4]*byte)(rows[j:]), groups, &panel[4*j], flip)
		}
	}
}

// pack4 packs four columns of a panel, four bytes of each every 64; groups > 0.
//
//go:noescape
func pack4(rows *[4]*byte, groups int, panel *byte, flip uint32)
