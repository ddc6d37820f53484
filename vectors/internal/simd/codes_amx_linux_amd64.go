//go:build amd64 && !noasm

package simd

import (
	"golang.org/x/sys/cpu"
	"golang.org/x/sys/unix"
)

// AMX multiplies tiles of bytes: 16 rows by 16 columns by 64 elements an instruction. The
// kernel of Linux lets a process use it that asks for it, once for all of its threads,
// and keeps the tiles of a thread as it keeps its other registers.
const (
	archRequest  = 0x1023 // ARCH_REQ_XCOMP_PERM
	tileRegister = 18     // XFEATURE_XTILEDATA
)

// amx is avx512 but for products of codes; nil where this machine has none.
func amx() *Kernel {
	if !cpu.X86.HasAMXTile || !cpu.X86.HasAMXInt8 || !cpu.X86.HasAVX512VNNI {
		return nil
	}
	if _, _, failed := unix.Syscall(unix.SYS_ARCH_PRCTL, archRequest, tileRegister, 0); failed != 0 {
		return nil
	}
	k := avx512()
	k.Name = "amx"
	codesAMX(k.Codes)
	return k
}

// codesAMX has a table of AVX-512 multiply by AMX where there is enough to multiply.
func codesAMX(c *Codes) {
	fewDots, fewPairs := c.Dots, c.Pairs
	c.roomy, c.aside = 1, pairsAside
	c.Dots = func(rows *[16]*byte, n, groups int, panels []byte, c []int32, ldc int, room []byte) {
		stride := PanelBytes(groups)
		count := len(panels) / stride
		if few(n, groups, count) {
			fewDots(rows, n, groups, panels, c, ldc, room)
			return
		}
		_, _ = c[15*ldc+16*count-1], room[stride-1]
		dotsAMX(rows, groups, &panels[0], stride, count, &c[0], ldc, &room[0])
	}
	c.Pairs = func(rows *[16]*byte, n, groups int, panels []byte, norms, adds, bounds, either, d []uint32, ldd int, marks []uint64, ldm int, room []byte) {
		stride := PanelBytes(groups)
		count := len(panels) / stride
		if few(n, groups, count) {
			fewPairs(rows, n, groups, panels, norms, adds, bounds, either, d, ldd, marks, ldm, room)
			return
		}
		_, _, _, _ = norms[16*count-1], adds[15], bounds[15], either[16*count-1]
		_, _, _ = d[15*ldd+16*count-1], marks[15*ldm+(16*count-1)/64], room[stride+pairsAside-1]
		pairsAMX(rows, groups, &panels[0], stride, count, &d[0], ldd, &norms[0], &adds[0], &bounds[0], &either[0], &marks[0], ldm, &room[0])
	}
}

// pairsAside is the room of the sums of 16 rows and three panels.
const pairsAside = 3 * 16 * 64

// few reports whether tiles are not worth setting up.
func few(n, groups, count int) bool {
	return count*groups < amxGroups || n <= 8 && count*groups < 2*amxGroups
}

// amxGroups is the groups of columns, panel by panel, from which tiles are worth setting
// up for more than eight rows. Fewer take AVX-512 half as long and tiles as long as
// sixteen: twice as many groups. Measured against AVX-512, with six panels at a time where
// there are three now: 32 groups 1.2 times as fast, 64 twice, 384 four times; with eight
// rows 64 groups 0.9, 128 1.1, 384 2.1.
const amxGroups = 48

//go:noescape
func dotsAMX(rows *[16]*byte, groups int, panels *byte, stride, count int, c *int32, ldc int, room *byte)

//go:noescape
func pairsAMX(rows *[16]*byte, groups int, panels *byte, stride, count int, d *uint32, ldd int, norms, adds, bounds, either *uint32, marks *uint64, ldm int, room *byte)
