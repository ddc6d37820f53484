//go:build arm64 && !noasm

#include "textflag.h"
#include "neon_arm64.h"

// What is near among a row's sums, by NEON; see nearer_arm64.go.
//
//	R0 c   R1 norms   V30 add   V31 bound

// DISTANCES sets V4 to V7 to the squared distances of the next 16 columns.
#define DISTANCES \
	VLD1.P 64(R0), [V0.S4, V1.S4, V2.S4, V3.S4]; \
	VLD1.P 64(R1), [V4.S4, V5.S4, V6.S4, V7.S4]; \
	VADD V0.S4, V0.S4, V0.S4; \
	VADD V1.S4, V1.S4, V1.S4; \
	VADD V2.S4, V2.S4, V2.S4; \
	VADD V3.S4, V3.S4, V3.S4; \
	VADD V30.S4, V4.S4, V4.S4; \
	VADD V30.S4, V5.S4, V5.S4; \
	VADD V30.S4, V6.S4, V6.S4; \
	VADD V30.S4, V7.S4, V7.S4; \
	VSUB V0.S4, V4.S4, V4.S4; \
	VSUB V1.S4, V5.S4, V5.S4; \
	VSUB V2.S4, V6.S4, V6.S4; \
	VSUB V3.S4, V7.S4, V7.S4

// HITS makes four bits a column, in R5, of the masks V0 to V3.
#define HITS \
	VUZP1 V1.H8, V0.H8, V0.H8; \
	VUZP1 V3.H8, V2.H8, V2.H8; \
	VUZP1 V2.B16, V0.B16, V0.B16; \
	SHRN4(0, 0); \
	VMOV  V0.D[0], R5

// func within(n int, c *int32, norms *uint32, add, bound uint32) (at int, hits uint64)
TEXT ·within(SB), NOSPLIT, $0-48
	MOVD  n+0(FP), R2
	MOVD  c+8(FP), R0
	MOVD  norms+16(FP), R1
	MOVWU add+24(FP), R3
	MOVWU bound+28(FP), R4
	VDUP  R3, V30.S4
	VDUP  R4, V31.S4
	MOVD  ZR, R6

sixteen:
	DISTANCES
	CMHS_S(4, 31, 0)
	CMHS_S(5, 31, 1)
	CMHS_S(6, 31, 2)
	CMHS_S(7, 31, 3)
	HITS
	CBNZ R5, found
	ADD  $16, R6
	CMP  R2, R6
	BLT  sixteen

found:
	MOVD R6, at+32(FP)
	MOVD R5, hits+40(FP)
	RET

// func withinEither(n int, c *int32, norms *uint32, add, bound uint32, bounds *uint32) (at int, hits uint64)
TEXT ·withinEither(SB), NOSPLIT, $0-56
	MOVD  n+0(FP), R2
	MOVD  c+8(FP), R0
	MOVD  norms+16(FP), R1
	MOVWU add+24(FP), R3
	MOVWU bound+28(FP), R4
	MOVD  bounds+32(FP), R7
	VDUP  R3, V30.S4
	VDUP  R4, V31.S4
	MOVD  ZR, R6

sixteen:
	DISTANCES
	VLD1.P 64(R7), [V16.S4, V17.S4, V18.S4, V19.S4]
	VUMAX V31.S4, V16.S4, V16.S4
	VUMAX V31.S4, V17.S4, V17.S4
	VUMAX V31.S4, V18.S4, V18.S4
	VUMAX V31.S4, V19.S4, V19.S4
	CMHS_S(4, 16, 0)
	CMHS_S(5, 17, 1)
	CMHS_S(6, 18, 2)
	CMHS_S(7, 19, 3)
	HITS
	CBNZ R5, found
	ADD  $16, R6
	CMP  R2, R6
	BLT  sixteen

found:
	MOVD R6, at+40(FP)
	MOVD R5, hits+48(FP)
	RET

// func minima(blocks int, c *int32, norms *uint32, add uint32, least *[32]uint32)
TEXT ·minima(SB), NOSPLIT, $0-40
	MOVD  blocks+0(FP), R2
	MOVD  c+8(FP), R0
	MOVD  norms+16(FP), R1
	MOVWU add+24(FP), R3
	MOVD  least+32(FP), R4
	VDUP  R3, V30.S4
	ADD   $64, R4, R5
	VLD1  (R4), [V16.S4, V17.S4, V18.S4, V19.S4]
	VLD1  (R5), [V20.S4, V21.S4, V22.S4, V23.S4]

block:
	DISTANCES
	VUMIN V4.S4, V16.S4, V16.S4
	VUMIN V5.S4, V17.S4, V17.S4
	VUMIN V6.S4, V18.S4, V18.S4
	VUMIN V7.S4, V19.S4, V19.S4
	DISTANCES
	VUMIN V4.S4, V20.S4, V20.S4
	VUMIN V5.S4, V21.S4, V21.S4
	VUMIN V6.S4, V22.S4, V22.S4
	VUMIN V7.S4, V23.S4, V23.S4
	SUBS  $1, R2
	BNE   block
	VST1  [V16.S4, V17.S4, V18.S4, V19.S4], (R4)
	VST1  [V20.S4, V21.S4, V22.S4, V23.S4], (R5)
	RET

// BELOW4 sets V(z) to what does not reach: x less V(h) below V29, and x less V31
// below V(l). V28 is scratch.
#define BELOW4(x, h, l, z, vz) \
	FSUB_S(h, x, 28); \
	FCMGT_S(28, 29, 28); \
	FSUB_S(31, x, z); \
	FCMGT_S(z, l, z); \
	VAND V28.B16, vz.B16, vz.B16

// func reaching16(n int, c, halves, leasts *float32, half, least float32) (at int, hits uint64)
TEXT ·reaching16(SB), NOSPLIT, $0-56
	MOVD  n+0(FP), R2
	MOVD  c+8(FP), R0
	MOVD  halves+16(FP), R1
	MOVD  leasts+24(FP), R7
	MOVWU half+32(FP), R3
	MOVWU least+36(FP), R4
	VDUP  R3, V31.S4
	VDUP  R4, V29.S4
	MOVD  ZR, R6

sixteen:
	VLD1.P 64(R0), [V4.S4, V5.S4, V6.S4, V7.S4]
	VLD1.P 64(R1), [V16.S4, V17.S4, V18.S4, V19.S4]
	VLD1.P 64(R7), [V20.S4, V21.S4, V22.S4, V23.S4]
	BELOW4(4, 16, 20, 0, V0)
	BELOW4(5, 17, 21, 1, V1)
	BELOW4(6, 18, 22, 2, V2)
	BELOW4(7, 19, 23, 3, V3)
	HITS
	MVN  R5, R5
	CBNZ R5, found
	ADD  $16, R6
	CMP  R2, R6
	BLT  sixteen

found:
	MOVD R6, at+40(FP)
	MOVD R5, hits+48(FP)
	RET
