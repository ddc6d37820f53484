//go:build arm64 && !noasm

#include "textflag.h"
#include "neon_arm64.h"

// Products of float32 rows by NEON; see products.go for what each function
// computes.

// COLUMN4 adds the products of one element of the eight rows, V16 to V23, with
// four columns, V(n), to every other register from V(d) on.
#define COLUMN4(lane, n, d) \
	FMLA_S(16, lane, n, d); \
	FMLA_S(17, lane, n, d+2); \
	FMLA_S(18, lane, n, d+4); \
	FMLA_S(19, lane, n, d+6); \
	FMLA_S(20, lane, n, d+8); \
	FMLA_S(21, lane, n, d+10); \
	FMLA_S(22, lane, n, d+12); \
	FMLA_S(23, lane, n, d+14)

// ELEMENT goes one element on in the panel: V24 and V25 are its eight columns.
#define ELEMENT(lane) \
	VLD1.P (R8)(R9), [V24.S4, V25.S4]; \
	COLUMN4(lane, 24, 0); \
	COLUMN4(lane, 25, 1)

// func products8(rows *[8]*byte, dim int, panels *byte, stride, count int, c *float32, ldc int)
// Eight rows against half a panel at a time, four elements a load: 16 sums, and
// a load for every four products.
TEXT ·products8(SB), NOSPLIT, $0-56
	MOVD rows+0(FP), R10
	MOVD dim+8(FP), R11
	MOVD panels+16(FP), R12
	MOVD stride+24(FP), R13
	MOVD count+32(FP), R14
	MOVD c+40(FP), R15
	MOVD ldc+48(FP), R16
	LSL  $2, R16
	LSL  $1, R14
	MOVD $64, R9
	MOVD $32, R17       // to the next half of a panel: 32, stride-32, 32, ...

half:
	LDP  0(R10), (R0, R1)
	LDP  16(R10), (R2, R3)
	LDP  32(R10), (R4, R5)
	LDP  48(R10), (R6, R7)
	MOVD R12, R8
	VEOR V0.B16, V0.B16, V0.B16
	VEOR V1.B16, V1.B16, V1.B16
	VEOR V2.B16, V2.B16, V2.B16
	VEOR V3.B16, V3.B16, V3.B16
	VEOR V4.B16, V4.B16, V4.B16
	VEOR V5.B16, V5.B16, V5.B16
	VEOR V6.B16, V6.B16, V6.B16
	VEOR V7.B16, V7.B16, V7.B16
	VEOR V8.B16, V8.B16, V8.B16
	VEOR V9.B16, V9.B16, V9.B16
	VEOR V10.B16, V10.B16, V10.B16
	VEOR V11.B16, V11.B16, V11.B16
	VEOR V12.B16, V12.B16, V12.B16
	VEOR V13.B16, V13.B16, V13.B16
	VEOR V14.B16, V14.B16, V14.B16
	VEOR V15.B16, V15.B16, V15.B16
	SUBS $4, R11, R19
	BLT  last

four:
	VLD1.P 16(R0), [V16.S4]
	VLD1.P 16(R1), [V17.S4]
	VLD1.P 16(R2), [V18.S4]
	VLD1.P 16(R3), [V19.S4]
	VLD1.P 16(R4), [V20.S4]
	VLD1.P 16(R5), [V21.S4]
	VLD1.P 16(R6), [V22.S4]
	VLD1.P 16(R7), [V23.S4]
	ELEMENT(0)
	ELEMENT(1)
	ELEMENT(2)
	ELEMENT(3)
	SUBS   $4, R19
	BGE    four

last:
	ADDS $4, R19
	BEQ  put

one:
	FMOVS.P 4(R0), F16
	FMOVS.P 4(R1), F17
	FMOVS.P 4(R2), F18
	FMOVS.P 4(R3), F19
	FMOVS.P 4(R4), F20
	FMOVS.P 4(R5), F21
	FMOVS.P 4(R6), F22
	FMOVS.P 4(R7), F23
	ELEMENT(0)
	SUBS    $1, R19
	BNE     one

put:
	MOVD R15, R19
	VST1.P [V0.S4, V1.S4], (R19)(R16)
	VST1.P [V2.S4, V3.S4], (R19)(R16)
	VST1.P [V4.S4, V5.S4], (R19)(R16)
	VST1.P [V6.S4, V7.S4], (R19)(R16)
	VST1.P [V8.S4, V9.S4], (R19)(R16)
	VST1.P [V10.S4, V11.S4], (R19)(R16)
	VST1.P [V12.S4, V13.S4], (R19)(R16)
	VST1   [V14.S4, V15.S4], (R19)
	ADD  $32, R15
	ADD  R17, R12
	SUB  R17, R13, R17
	SUBS $1, R14
	BNE  half
	RET

// func halves16(dst *float32, src *byte, n int)
// n is a multiple of 16.
TEXT ·halves16(SB), NOSPLIT, $0-24
	MOVD dst+0(FP), R0
	MOVD src+8(FP), R1
	MOVD n+16(FP), R2

sixteen:
	VLD1.P   32(R1), [V0.H8, V1.H8]
	FCVTL_H(0, 2)
	FCVTL_H2(0, 3)
	FCVTL_H(1, 4)
	FCVTL_H2(1, 5)
	VST1.P   [V2.S4, V3.S4, V4.S4, V5.S4], 64(R0)
	SUBS     $16, R2
	BGT      sixteen
	RET
