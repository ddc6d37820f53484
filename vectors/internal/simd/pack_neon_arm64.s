//go:build arm64 && !noasm

#include "textflag.h"

// FOUR stores one group of four rows, and goes one group on in the panel.
#define FOUR(v) VST1.P [v.S4], (R8)(R9)

// func pack4(rows *[4]*byte, groups int, panel *byte, flip uint32)
// Four groups of four rows at a time: a transposition of four by four, each
// flipped. The rest goes one group at a time.
TEXT ·pack4(SB), NOSPLIT, $0-28
	MOVD  rows+0(FP), R10
	MOVD  groups+8(FP), R11
	MOVD  panel+16(FP), R8
	MOVWU flip+24(FP), R12
	LDP   0(R10), (R0, R1)
	LDP   16(R10), (R2, R3)
	MOVD  $64, R9
	VDUP  R12, V31.S4
	SUBS  $4, R11
	BLT   last

groups4:
	VLD1.P 16(R0), [V0.B16]
	VLD1.P 16(R1), [V1.B16]
	VLD1.P 16(R2), [V2.B16]
	VLD1.P 16(R3), [V3.B16]
	VEOR   V31.B16, V0.B16, V0.B16
	VEOR   V31.B16, V1.B16, V1.B16
	VEOR   V31.B16, V2.B16, V2.B16
	VEOR   V31.B16, V3.B16, V3.B16
	VZIP1  V2.S4, V0.S4, V4.S4
	VZIP2  V2.S4, V0.S4, V5.S4
	VZIP1  V3.S4, V1.S4, V6.S4
	VZIP2  V3.S4, V1.S4, V7.S4
	VZIP1  V6.S4, V4.S4, V0.S4
	VZIP2  V6.S4, V4.S4, V1.S4
	VZIP1  V7.S4, V5.S4, V2.S4
	VZIP2  V7.S4, V5.S4, V3.S4
	FOUR(V0)
	FOUR(V1)
	FOUR(V2)
	FOUR(V3)
	SUBS   $4, R11
	BGE    groups4

last:
	ADDS $4, R11
	BEQ  done

one:
	FMOVS.P 4(R0), F0
	FMOVS.P 4(R1), F1
	FMOVS.P 4(R2), F2
	FMOVS.P 4(R3), F3
	VZIP1   V2.S4, V0.S4, V4.S4
	VZIP1   V3.S4, V1.S4, V6.S4
	VZIP1   V6.S4, V4.S4, V0.S4
	VEOR    V31.B16, V0.B16, V0.B16
	FOUR(V0)
	SUBS    $1, R11
	BNE     one

done:
	RET
