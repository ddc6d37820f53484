//go:build arm64 && !noasm

#include "textflag.h"
#include "neon_arm64.h"

// Lists by NEON; see codes.go for what each function computes.

// COUNT counts in V31 the entries of v, both below the one in V30.
#define COUNT(m, v) \
	CMHI_D(m, 30, m); \
	VSUB v, V31.D2, V31.D2

// func mergeNEON(list *uint64, k int, d, ids *uint32, n int, self uint32)
// The entries below a candidate say where it belongs; from there on the list moves
// by one, a pair of entries at a time from the end. Pairs are read where they were
// written: one that spans two of the candidate before would wait for both.
//
//	R0 list   R1 k   R2 d   R3 ids   R4 candidates left   R5 self
//	R6 end of the list   R7 its pairs   R9 the candidate   R14 where it belongs
TEXT ·mergeNEON(SB), NOSPLIT, $0-44
	MOVD  list+0(FP), R0
	MOVD  k+8(FP), R1
	MOVD  d+16(FP), R2
	MOVD  ids+24(FP), R3
	MOVD  n+32(FP), R4
	MOVWU self+40(FP), R5
	ADD   R1<<3, R0, R6
	LSR   $1, R1, R7

candidate:
	MOVWU.P 4(R2), R8
	MOVWU.P 4(R3), R9
	CMP  R5, R9
	BEQ  next

	// Without marks it is not above itself with any.
	LSL  $2, R9
	ORR  R8<<32, R9, R9
	MOVD -8(R6), R10
	LSR  $2, R10
	CMP  R9>>2, R10
	BLS  next
	VDUP R9, V30.D2
	VEOR V31.B16, V31.B16, V31.B16
	MOVD R0, R11
	MOVD R7, R12

four:
	SUBS $4, R12
	BLT  rest
	VLD1.P 64(R11), [V0.D2, V1.D2, V2.D2, V3.D2]
	COUNT(0, V0.D2)
	COUNT(1, V1.D2)
	COUNT(2, V2.D2)
	COUNT(3, V3.D2)
	B    four

rest:
	ADDS $4, R12
	BEQ  counted

one:
	VLD1.P 16(R11), [V0.D2]
	COUNT(0, V0.D2)
	SUBS $1, R12
	BNE  one

counted:
	VMOV V31.D[0], R13
	VMOV V31.D[1], R14
	ADD  R13, R14
	ADD  R14<<3, R0, R14
	MOVD (R14), R15
	EOR  R9, R15
	LSR  $2, R15
	CBZ  R15, next
	ADD  $3, R9
	MOVD R6, R16
	TBZ  $0, R1, pairs

	// The last entry of an odd list.
	SUB  $8, R16
	CMP  R14, R16
	BEQ  last
	MOVD -8(R16), R17
	MOVD R17, (R16)

pairs:
	SUB  $16, R16
	VLD1 (R16), [V0.D2]
	CMP  R14, R16
	BLS  here

pair:
	SUB  $16, R16, R17
	VLD1 (R17), [V1.D2]
	VEXT $8, V0.B16, V1.B16, V2.B16
	VST1 [V2.D2], (R16)
	VMOV V1.B16, V0.B16
	MOVD R17, R16
	CMP  R14, R16
	BHI  pair

here:
	// The pair where it belongs has moved its second entry on.
	MOVD (R16), R17
	CMP  R9, R17
	CSEL LO, R17, R9, R19
	CSEL LO, R9, R17, R20
	STP  (R19, R20), (R16)

next:
	SUBS $1, R4
	BNE  candidate
	RET

last:
	MOVD R9, (R16)
	B    next
