//go:build arm64 && !noasm

#include "textflag.h"
#include "neon_arm64.h"

// Codes by NEON with SDOT; see codes.go for what each function computes.
//
// SDOT multiplies signed bytes, and rows are unsigned. Hence they lose 128 as
// panels did, and the sum lacks 128 times the panel's bytes: V31 holds 0x80 in
// every byte, which turns rows over and is -128 as a factor, so that the same
// instruction keeps -128 times the bytes of each column in V26 and V27.

// COLUMN4 adds the products of a group of the eight rows, V16 to V23, with four
// columns, V(n), to every other register from V(d) on.
#define COLUMN4(lane, n, d) \
	SDOT_B4(16, lane, n, d); \
	SDOT_B4(17, lane, n, d+2); \
	SDOT_B4(18, lane, n, d+4); \
	SDOT_B4(19, lane, n, d+6); \
	SDOT_B4(20, lane, n, d+8); \
	SDOT_B4(21, lane, n, d+10); \
	SDOT_B4(22, lane, n, d+12); \
	SDOT_B4(23, lane, n, d+14)

// GROUP goes one group on in the panel: V24 and V25 are its eight columns.
#define GROUP(lane) \
	VLD1.P (R8)(R9), [V24.B16, V25.B16]; \
	COLUMN4(lane, 24, 0); \
	COLUMN4(lane, 25, 1); \
	SDOT(31, 24, 26); \
	SDOT(31, 25, 27)

// FLIP takes 128 from the bytes of the rows.
#define FLIP \
	VEOR V31.B16, V16.B16, V16.B16; \
	VEOR V31.B16, V17.B16, V17.B16; \
	VEOR V31.B16, V18.B16, V18.B16; \
	VEOR V31.B16, V19.B16, V19.B16; \
	VEOR V31.B16, V20.B16, V20.B16; \
	VEOR V31.B16, V21.B16, V21.B16; \
	VEOR V31.B16, V22.B16, V22.B16; \
	VEOR V31.B16, V23.B16, V23.B16

// PUTROW stores a row of the tile with what its columns lack.
#define PUTROW(a, b) \
	VSUB V26.S4, a.S4, a.S4; \
	VSUB V27.S4, b.S4, b.S4; \
	VST1 [a.S4, b.S4], (R19); \
	ADD  R16, R19

// func dotsSDOT(rows *[8]*byte, groups int, panels *byte, stride, count int, c *int32, ldc int)
// As products8: eight rows against half a panel at a time, four groups a load.
TEXT ·dotsSDOT(SB), NOSPLIT, $0-56
	MOVD rows+0(FP), R10
	MOVD groups+8(FP), R11
	MOVD panels+16(FP), R12
	MOVD stride+24(FP), R13
	MOVD count+32(FP), R14
	MOVD c+40(FP), R15
	MOVD ldc+48(FP), R16
	LSL  $2, R16
	LSL  $1, R14
	MOVD $64, R9
	MOVD $32, R17 // to the next half of a panel: 32, stride-32, 32, ...
	VMOVI $128, V31.B16

half:
	ROWS8
	MOVD R12, R8
	CLEAR16
	VEOR V26.B16, V26.B16, V26.B16
	VEOR V27.B16, V27.B16, V27.B16
	SUBS $4, R11, R19
	BLT  last

four:
	NEXT16
	FLIP
	GROUP(0)
	GROUP(1)
	GROUP(2)
	GROUP(3)
	SUBS $4, R19
	BGE  four

last:
	ADDS $4, R19
	BEQ  put

one:
	NEXT4
	FLIP
	GROUP(0)
	SUBS $1, R19
	BNE  one

put:
	MOVD R15, R19
	PUTROW(V0, V1)
	PUTROW(V2, V3)
	PUTROW(V4, V5)
	PUTROW(V6, V7)
	PUTROW(V8, V9)
	PUTROW(V10, V11)
	PUTROW(V12, V13)
	PUTROW(V14, V15)
	ADD  $32, R15
	ADD  R17, R12
	SUB  R17, R13, R17
	SUBS $1, R14
	BNE  half
	RET

// func prefetchRows(base *byte, stride int, ids *uint32, n, bytes int)
TEXT ·prefetchRows(SB), NOSPLIT, $0-40
	MOVD base+0(FP), R0
	MOVD stride+8(FP), R1
	MOVD ids+16(FP), R2
	MOVD n+24(FP), R3
	MOVD bytes+32(FP), R4

row:
	MOVWU.P 4(R2), R5
	MADD    R1, R0, R5, R5
	MOVD    R4, R6

line:
	PRFM (R5), PLDL1KEEP
	ADD  $64, R5
	SUBS $64, R6
	BGT  line
	SUBS $1, R3
	BNE  row
	RET
