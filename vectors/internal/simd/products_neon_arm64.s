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
	MOVD $32, R17 // to the next half of a panel: 32, stride-32, 32, ...

half:
	ROWS8
	MOVD R12, R8
	CLEAR16
	SUBS $4, R11, R19
	BLT  last

four:
	NEXT16
	ELEMENT(0)
	ELEMENT(1)
	ELEMENT(2)
	ELEMENT(3)
	SUBS $4, R19
	BGE  four

last:
	ADDS $4, R19
	BEQ  put

one:
	NEXT4
	ELEMENT(0)
	SUBS $1, R19
	BNE  one

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
