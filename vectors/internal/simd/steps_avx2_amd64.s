//go:build amd64 && !noasm

#include "textflag.h"

// func steps2(n int, products, offsets *int32, factor, limit int32, dst *byte)
// Eight at a time; n is a multiple of that, and not 0. Differences are cut to limit, so that
// what is left of a product after the shift fits a dword: AVX2 has no arithmetic shift of
// qwords. Even dwords come to their place by shifting right, odd ones by shifting left.
TEXT ·steps2(SB), NOSPLIT, $0-40
	MOVQ n+0(FP), CX
	MOVQ products+8(FP), SI
	MOVQ offsets+16(FP), DX
	MOVQ dst+32(FP), DI
	MOVL factor+24(FP), AX
	MOVL limit+28(FP), BX
	VMOVD AX, X15
	VMOVD BX, X14
	VPBROADCASTD X15, Y15
	VPBROADCASTD X14, Y14
	VPXOR Y13, Y13, Y13
	VPSUBD Y14, Y13, Y13
	MOVL $0x800000, AX
	VMOVQ AX, X12
	VPBROADCASTQ X12, Y12
	MOVL $0x80808080, AX
	VMOVD AX, X11
	VPBROADCASTD X11, X11

steps:
	VMOVDQU (SI), Y0
	VPSUBD (DX), Y0, Y0
	VPMINSD Y14, Y0, Y0
	VPMAXSD Y13, Y0, Y0
	VPSRLQ $32, Y0, Y1
	VPMULDQ Y15, Y0, Y0
	VPMULDQ Y15, Y1, Y1
	VPADDQ Y12, Y0, Y0
	VPADDQ Y12, Y1, Y1
	VPSRLQ $24, Y0, Y0
	VPSLLQ $8, Y1, Y1
	VPBLENDD $0xAA, Y1, Y0, Y0
	VEXTRACTI128 $1, Y0, X1
	VPACKSSDW X1, X0, X0
	VPACKSSWB X0, X0, X0
	VPXOR X11, X0, X0
	VMOVQ X0, (DI)
	ADDQ $32, SI
	ADDQ $32, DX
	ADDQ $8, DI
	SUBQ $8, CX
	JNZ  steps
	VZEROUPPER
	RET
