//go:build arm64 && !noasm

#include "textflag.h"
#include "neon_arm64.h"

// Integer rows, one against one, by NEON, over whole blocks of 16 elements: the
// Go side walks the ids and adds what stands after the last block.
//
//	R0 x   R1 row   R2 blocks   V0, V1 sums

// PAIR reads 16 bytes of both rows.
#define PAIR \
	VLD1.P 16(R0), [V2.B16]; \
	VLD1.P 16(R1), [V3.B16]

#define CLEARSUMS \
	VEOR V0.B16, V0.B16, V0.B16; \
	VEOR V1.B16, V1.B16, V1.B16

// ADDUNSIGNED and ADDSIGNED add the 16-bit products of V4 and V5 to the sums.
#define ADDUNSIGNED \
	UADALP(4, 0); \
	UADALP(5, 1)

#define ADDSIGNED \
	SADALP(4, 0); \
	SADALP(5, 1)

// SUMD adds up the sums in F0.
#define SUMD \
	VADD V1.S4, V0.S4, V0.S4; \
	VADDV V0.S4, V0

// returns sum over i of (x[i]-row[i])^2, uint8; blocks > 0
TEXT ·squaredU8NEON(SB), NOSPLIT, $0-28
	MOVD x+0(FP), R0
	MOVD row+8(FP), R1
	MOVD blocks+16(FP), R2
	CLEARSUMS

block:
	PAIR
	UABD(3, 2, 2)
	UMULL(2, 2, 4)
	UMULL2(2, 2, 5)
	ADDUNSIGNED
	SUBS $1, R2
	BNE  block
	SUMD
	FMOVS F0, ret+24(FP)
	RET

// returns sum over i of x[i]*row[i], uint8; blocks > 0
TEXT ·dotU8NEON(SB), NOSPLIT, $0-28
	MOVD x+0(FP), R0
	MOVD row+8(FP), R1
	MOVD blocks+16(FP), R2
	CLEARSUMS

block:
	PAIR
	UMULL(3, 2, 4)
	UMULL2(3, 2, 5)
	ADDUNSIGNED
	SUBS $1, R2
	BNE  block
	SUMD
	FMOVS F0, ret+24(FP)
	RET

// returns sum over i of (x[i]-row[i])^2, int8; blocks > 0
TEXT ·squaredI8NEON(SB), NOSPLIT, $0-28
	MOVD x+0(FP), R0
	MOVD row+8(FP), R1
	MOVD blocks+16(FP), R2
	CLEARSUMS

block:
	PAIR
	SABD(3, 2, 2)
	UMULL(2, 2, 4)
	UMULL2(2, 2, 5)
	ADDUNSIGNED
	SUBS $1, R2
	BNE  block
	SUMD
	FMOVS F0, ret+24(FP)
	RET

// returns sum over i of x[i]*row[i], int8; blocks > 0
TEXT ·dotI8NEON(SB), NOSPLIT, $0-28
	MOVD x+0(FP), R0
	MOVD row+8(FP), R1
	MOVD blocks+16(FP), R2
	CLEARSUMS

block:
	PAIR
	SMULL(3, 2, 4)
	SMULL2(3, 2, 5)
	ADDSIGNED
	SUBS $1, R2
	BNE  block
	SUMD
	FMOVS F0, ret+24(FP)
	RET
