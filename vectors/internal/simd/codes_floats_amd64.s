//go:build amd64 && !noasm

#include "textflag.h"

// Codes as float32 by AVX-512; see codes_floats_amd64.go.

// func widen512(dst *float32, src *byte, n int, less int32)
// Sixteen codes at a time; the last ones under a mask, which reads no byte beyond.
TEXT ·widen512(SB), NOSPLIT, $0-28
	MOVQ         dst+0(FP), DI
	MOVQ         src+8(FP), SI
	MOVQ         n+16(FP), CX
	MOVL         less+24(FP), AX
	VPBROADCASTD AX, Z1

sixteen:
	CMPQ      CX, $16
	JLT       rest
	VPMOVZXBD (SI), Z0
	VPSUBD    Z1, Z0, Z0
	VCVTDQ2PS Z0, Z0
	VMOVUPS   Z0, (DI)
	ADDQ      $16, SI
	ADDQ      $64, DI
	SUBQ      $16, CX
	JMP       sixteen

rest:
	TESTQ       CX, CX
	JEQ         done
	MOVL        $1, AX
	SHLL        CX, AX
	DECL        AX
	KMOVW       AX, K1
	VPMOVZXBD.Z (SI), K1, Z0
	VPSUBD      Z1, Z0, Z0
	VCVTDQ2PS   Z0, Z0
	VMOVUPS     Z0, K1, (DI)

done:
	VZEROUPPER
	RET

// func addSums512(dst *int32, sums *float32, n int)
TEXT ·addSums512(SB), NOSPLIT, $0-24
	MOVQ dst+0(FP), DI
	MOVQ sums+8(FP), SI
	MOVQ n+16(FP), CX
	XORQ AX, AX

next:
	CMPQ       AX, CX
	JGE        added
	VCVTTPS2DQ (SI)(AX*4), Z0
	VPADDD     (DI)(AX*4), Z0, Z0
	VMOVDQU32  Z0, (DI)(AX*4)
	ADDQ       $16, AX
	JMP        next

added:
	VZEROUPPER
	RET
