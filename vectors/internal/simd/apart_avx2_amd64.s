//go:build amd64 && !noasm

#include "textflag.h"

// Absolute differences of one row and one, AVX2, over whole blocks of 16 elements.
//
//	SI x   DI row   CX blocks   Y8 all bits but the sign

#define UNSIGNED \
	VPCMPEQD Y8, Y8, Y8; \
	VPSRLD $1, Y8, Y8

// APART leaves the absolute differences of eight elements in a.
#define APART(at, a) \
	VMOVUPS at(SI), a; \
	VSUBPS at(DI), a, a; \
	VANDPS Y8, a, a

// WIDEN adds the eight float32 of Y4 to lanes a and b.
#define WIDEN(a, b) \
	VEXTRACTF128 $1, Y4, X6; \
	VCVTPS2PD X4, Y4; \
	VCVTPS2PD X6, Y6; \
	VADDPD Y4, a, a; \
	VADDPD Y6, b, b

// lanes[i%16] = sum of |float32(x[i]-row[i])|, float32; blocks > 0
TEXT ·absoluteF32AVX2(SB), NOSPLIT, $0-32
	MOVQ   x+0(FP), SI
	MOVQ   row+8(FP), DI
	MOVQ   blocks+16(FP), CX
	MOVQ   lanes+24(FP), DX
	VXORPD Y0, Y0, Y0
	VXORPD Y1, Y1, Y1
	VXORPD Y2, Y2, Y2
	VXORPD Y3, Y3, Y3
	UNSIGNED

block:
	APART(0, Y4)
	WIDEN(Y0, Y1)
	APART(32, Y4)
	WIDEN(Y2, Y3)
	ADDQ $64, SI
	ADDQ $64, DI
	DECQ CX
	JNZ  block
	VMOVUPD Y0, (DX)
	VMOVUPD Y1, 32(DX)
	VMOVUPD Y2, 64(DX)
	VMOVUPD Y3, 96(DX)
	VZEROUPPER
	RET

// returns the largest |float32(x[i]-row[i])|, float32; blocks > 0
TEXT ·largestF32AVX2(SB), NOSPLIT, $0-28
	MOVQ   x+0(FP), SI
	MOVQ   row+8(FP), DI
	MOVQ   blocks+16(FP), CX
	VXORPS Y0, Y0, Y0
	VXORPS Y1, Y1, Y1
	UNSIGNED

block:
	APART(0, Y4)
	APART(32, Y5)
	VMAXPS Y4, Y0, Y0
	VMAXPS Y5, Y1, Y1
	ADDQ $64, SI
	ADDQ $64, DI
	DECQ CX
	JNZ  block
	VMAXPS Y1, Y0, Y0
	VEXTRACTF128 $1, Y0, X1
	VMAXPS X1, X0, X0
	VPSHUFD $0x4E, X0, X1
	VMAXPS X1, X0, X0
	VPSHUFD $0xB1, X0, X1
	VMAXPS X1, X0, X0
	VMOVSS X0, ret+24(FP)
	VZEROUPPER
	RET
