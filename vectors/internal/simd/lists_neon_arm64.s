//go:build arm64 && !noasm

#include "textflag.h"
#include "neon_arm64.h"

// Lists by NEON; see codes.go for what each function computes.

// SAME adds to V1 to V4 where four registers of a list hold the row in V0. V5 to
// V8 are scratch.
#define SAME(a, b, c, d) \
	VCMEQ a, V0.S4, V5.S4; \
	VCMEQ b, V0.S4, V6.S4; \
	VCMEQ c, V0.S4, V7.S4; \
	VCMEQ d, V0.S4, V8.S4; \
	VORR  V5.B16, V1.B16, V1.B16; \
	VORR  V6.B16, V2.B16, V2.B16; \
	VORR  V7.B16, V3.B16, V3.B16; \
	VORR  V8.B16, V4.B16, V4.B16

// HALVE drops the lowest bit of every entry.
#define HALVE(a, b, c, d) \
	VUSHR $1, a, a; \
	VUSHR $1, b, b; \
	VUSHR $1, c, c; \
	VUSHR $1, d, d

// func unlistedNEON(list *uint32, k int, d, ids *uint32, n int, self uint32) int
// The first 16 and the last 16 of a list stay in V16 to V23, and are the same ones
// in part where it is shorter than 32; those between are read again for every
// candidate, with some of the last. It does not branch on what it finds.
//
//	R0 list   R1 entries between   R2 d   R3 ids   R4 candidates left   R5 self
//	R6, R7 where the next that is kept goes
TEXT ·unlistedNEON(SB), NOSPLIT, $0-56
	MOVD  list+0(FP), R0
	MOVD  k+8(FP), R1
	MOVD  d+16(FP), R2
	MOVD  ids+24(FP), R3
	MOVD  n+32(FP), R4
	MOVWU self+40(FP), R5
	VLD1.P 64(R0), [V16.S4, V17.S4, V18.S4, V19.S4]
	SUB   $32, R1, R1
	ADD   R1<<2, R0, R8
	VLD1  (R8), [V20.S4, V21.S4, V22.S4, V23.S4]
	HALVE(V16.S4, V17.S4, V18.S4, V19.S4)
	HALVE(V20.S4, V21.S4, V22.S4, V23.S4)
	MOVD  R2, R6
	MOVD  R3, R7

candidate:
	MOVWU.P 4(R2), R8
	MOVWU.P 4(R3), R9
	VDUP  R9, V0.S4
	VCMEQ V16.S4, V0.S4, V1.S4
	VCMEQ V17.S4, V0.S4, V2.S4
	VCMEQ V18.S4, V0.S4, V3.S4
	VCMEQ V19.S4, V0.S4, V4.S4
	SAME(V20.S4, V21.S4, V22.S4, V23.S4)
	MOVD  R0, R10
	MOVD  R1, R11

between:
	CMP  $0, R11
	BLE  looked
	VLD1.P 64(R10), [V24.S4, V25.S4, V26.S4, V27.S4]
	HALVE(V24.S4, V25.S4, V26.S4, V27.S4)
	SAME(V24.S4, V25.S4, V26.S4, V27.S4)
	SUB  $16, R11
	B    between

looked:
	VORR V1.B16, V2.B16, V2.B16
	VORR V3.B16, V4.B16, V4.B16
	VORR V2.B16, V4.B16, V4.B16
	VMOV V4.D[0], R10
	VMOV V4.D[1], R11
	ORR  R10, R11
	MOVW R8, (R6)
	MOVW R9, (R7)
	CMP  $0, R11
	CSET EQ, R12
	CMP  R5, R9
	CSET NE, R13
	AND  R12, R13
	ADD  R13<<2, R6
	ADD  R13<<2, R7
	SUBS $1, R4
	BNE  candidate
	MOVD ids+24(FP), R3
	SUB  R3, R7
	LSR  $2, R7
	MOVD R7, ret+48(FP)
	RET

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

	// As an old entry, less by one than as a new one, it is not above itself.
	LSL  $1, R9
	ORR  R8<<32, R9, R9
	MOVD -8(R6), R10
	LSR  $1, R10
	CMP  R9>>1, R10
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
	LSR  $1, R15
	CBZ  R15, next
	ADD  $1, R9
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
