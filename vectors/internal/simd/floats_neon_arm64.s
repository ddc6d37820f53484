//go:build arm64 && !noasm

#include "textflag.h"
#include "neon_arm64.h"

// Float rows, one against one, by NEON, over whole blocks of 16 elements: the Go
// side walks the ids, adds what stands after the last block, and adds up.
//
//	R0 x   R1 row   R2 blocks
//
// The 16 lanes are V0 to V7. V16 to V19 are a block of x, V20 to V23 one of the
// row, as float32. V24 to V27 are scratch.

#define CLEARLANES \
	VEOR V0.B16, V0.B16, V0.B16; \
	VEOR V1.B16, V1.B16, V1.B16; \
	VEOR V2.B16, V2.B16, V2.B16; \
	VEOR V3.B16, V3.B16, V3.B16; \
	VEOR V4.B16, V4.B16, V4.B16; \
	VEOR V5.B16, V5.B16, V5.B16; \
	VEOR V6.B16, V6.B16, V6.B16; \
	VEOR V7.B16, V7.B16, V7.B16

#define STORELANES \
	MOVD lanes+24(FP), R3; \
	VST1.P [V0.D2, V1.D2, V2.D2, V3.D2], 64(R3); \
	VST1 [V4.D2, V5.D2, V6.D2, V7.D2], (R3)

// X32 and ROW32 read a block of float32, X16 and ROW16 one of float16, ROWU8 and
// ROWI8 one of bytes.
#define X32 VLD1.P 64(R0), [V16.S4, V17.S4, V18.S4, V19.S4]

#define ROW32 VLD1.P 64(R1), [V20.S4, V21.S4, V22.S4, V23.S4]

#define X16 \
	VLD1.P 32(R0), [V24.H8, V25.H8]; \
	FCVTL_H(24, 16); \
	FCVTL_H2(24, 17); \
	FCVTL_H(25, 18); \
	FCVTL_H2(25, 19)

#define ROW16 \
	VLD1.P 32(R1), [V24.H8, V25.H8]; \
	FCVTL_H(24, 20); \
	FCVTL_H2(24, 21); \
	FCVTL_H(25, 22); \
	FCVTL_H2(25, 23)

// SHORTS makes float32 of the int16 of V25 and V26.
#define SHORTS \
	SXTL_H(25, 20); \
	SXTL_H2(25, 21); \
	SXTL_H(26, 22); \
	SXTL_H2(26, 23); \
	SCVTF_S(20, 20); \
	SCVTF_S(21, 21); \
	SCVTF_S(22, 22); \
	SCVTF_S(23, 23)

#define ROWU8 \
	VLD1.P 16(R1), [V24.B16]; \
	VUXTL V24.B8, V25.H8; \
	VUXTL2 V24.B16, V26.H8; \
	SHORTS

#define ROWI8 \
	VLD1.P 16(R1), [V24.B16]; \
	SXTL_B(24, 25); \
	SXTL_B2(24, 26); \
	SHORTS

// SQUARES4 adds the squares of four float32 to lanes a and b, PRODUCTS4 the
// products of four and four.
#define SQUARES4(x, a, b) \
	FCVTL_S(x, 24); \
	FCVTL_S2(x, 25); \
	VFMLA V24.D2, V24.D2, a.D2; \
	VFMLA V25.D2, V25.D2, b.D2

#define PRODUCTS4(x, y, a, b) \
	FCVTL_S(x, 24); \
	FCVTL_S2(x, 25); \
	FCVTL_S(y, 26); \
	FCVTL_S2(y, 27); \
	VFMLA V24.D2, V26.D2, a.D2; \
	VFMLA V25.D2, V27.D2, b.D2

// SQUARES adds the squares of the differences of a block, PRODUCTS the products.
#define SQUARES \
	FSUB_S(20, 16, 16); \
	FSUB_S(21, 17, 17); \
	FSUB_S(22, 18, 18); \
	FSUB_S(23, 19, 19); \
	SQUARES4(16, V0, V1); \
	SQUARES4(17, V2, V3); \
	SQUARES4(18, V4, V5); \
	SQUARES4(19, V6, V7)

#define PRODUCTS \
	PRODUCTS4(16, 20, V0, V1); \
	PRODUCTS4(17, 21, V2, V3); \
	PRODUCTS4(18, 22, V4, V5); \
	PRODUCTS4(19, 23, V6, V7)

// lanes[i%16] = sum of float32(x[i]-row[i])^2, float32; blocks > 0
TEXT ·squaredF32NEON(SB), NOSPLIT, $0-32
	MOVD x+0(FP), R0
	MOVD row+8(FP), R1
	MOVD blocks+16(FP), R2
	CLEARLANES

block:
	X32
	ROW32
	SQUARES
	SUBS $1, R2
	BNE  block
	STORELANES
	RET

// lanes[i%16] = sum of x[i]*row[i], float32; blocks > 0
TEXT ·dotF32NEON(SB), NOSPLIT, $0-32
	MOVD x+0(FP), R0
	MOVD row+8(FP), R1
	MOVD blocks+16(FP), R2
	CLEARLANES

block:
	X32
	ROW32
	PRODUCTS
	SUBS $1, R2
	BNE  block
	STORELANES
	RET

// lanes[i%16] = sum of float32(x[i]-row[i])^2, float16; blocks > 0
TEXT ·squaredF16NEON(SB), NOSPLIT, $0-32
	MOVD x+0(FP), R0
	MOVD row+8(FP), R1
	MOVD blocks+16(FP), R2
	CLEARLANES

block:
	X16
	ROW16
	SQUARES
	SUBS $1, R2
	BNE  block
	STORELANES
	RET

// lanes[i%16] = sum of x[i]*row[i], float16; blocks > 0
TEXT ·dotF16NEON(SB), NOSPLIT, $0-32
	MOVD x+0(FP), R0
	MOVD row+8(FP), R1
	MOVD blocks+16(FP), R2
	CLEARLANES

block:
	X16
	ROW16
	PRODUCTS
	SUBS $1, R2
	BNE  block
	STORELANES
	RET

// lanes[i%16] = sum of x[i]*row[i], x float32, row float16; blocks > 0
TEXT ·dotF32F16NEON(SB), NOSPLIT, $0-32
	MOVD x+0(FP), R0
	MOVD row+8(FP), R1
	MOVD blocks+16(FP), R2
	CLEARLANES

block:
	X32
	ROW16
	PRODUCTS
	SUBS $1, R2
	BNE  block
	STORELANES
	RET

// lanes[i%16] = sum of x[i]*row[i], x float32, row uint8; blocks > 0
TEXT ·dotF32U8NEON(SB), NOSPLIT, $0-32
	MOVD x+0(FP), R0
	MOVD row+8(FP), R1
	MOVD blocks+16(FP), R2
	CLEARLANES

block:
	X32
	ROWU8
	PRODUCTS
	SUBS $1, R2
	BNE  block
	STORELANES
	RET

// lanes[i%16] = sum of x[i]*row[i], x float32, row int8; blocks > 0
TEXT ·dotF32I8NEON(SB), NOSPLIT, $0-32
	MOVD x+0(FP), R0
	MOVD row+8(FP), R1
	MOVD blocks+16(FP), R2
	CLEARLANES

block:
	X32
	ROWI8
	PRODUCTS
	SUBS $1, R2
	BNE  block
	STORELANES
	RET
