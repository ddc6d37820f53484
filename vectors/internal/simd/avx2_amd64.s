//go:build amd64 && !noasm

#include "textflag.h"

// One row against one, AVX2, over whole blocks of 16 elements: the Go side
// walks the ids, adds what stands after the last block, and adds up.
//
//	SI x   DI row   CX blocks

// SUMD adds up the 8 dwords of Y0 into AX.
#define SUMD \
	VEXTRACTI128 $1, Y0, X1; \
	VPADDD X1, X0, X0; \
	VPSHUFD $0x4E, X0, X1; \
	VPADDD X1, X0, X0; \
	VPSHUFD $0xB1, X0, X1; \
	VPADDD X1, X0, X0; \
	VMOVD X0, AX

// STORELANES stores the 16 lanes, Y0 to Y3.
#define STORELANES \
	MOVQ lanes+24(FP), DX; \
	VMOVUPD Y0, (DX); \
	VMOVUPD Y1, 32(DX); \
	VMOVUPD Y2, 64(DX); \
	VMOVUPD Y3, 96(DX)

#define CLEARLANES \
	VXORPD Y0, Y0, Y0; \
	VXORPD Y1, Y1, Y1; \
	VXORPD Y2, Y2, Y2; \
	VXORPD Y3, Y3, Y3

// SQUARES adds the squares of the eight float32 of Y4 to lanes a and b.
#define SQUARES(a, b) \
	VEXTRACTF128 $1, Y4, X6; \
	VCVTPS2PD X4, Y4; \
	VCVTPS2PD X6, Y6; \
	VFMADD231PD Y4, Y4, a; \
	VFMADD231PD Y6, Y6, b

// PRODUCTS adds the products of Y4 and Y5 to lanes a and b.
#define PRODUCTS(a, b) \
	VEXTRACTF128 $1, Y4, X6; \
	VEXTRACTF128 $1, Y5, X7; \
	VCVTPS2PD X4, Y4; \
	VCVTPS2PD X5, Y5; \
	VCVTPS2PD X6, Y6; \
	VCVTPS2PD X7, Y7; \
	VFMADD231PD Y5, Y4, a; \
	VFMADD231PD Y7, Y6, b

// returns sum over i of (x[i]-row[i])^2, uint8; blocks > 0
TEXT ·squaredU8AVX2(SB), NOSPLIT, $0-28
	MOVQ  x+0(FP), SI
	MOVQ  row+8(FP), DI
	MOVQ  blocks+16(FP), CX
	VPXOR Y0, Y0, Y0

block:
	VPMOVZXBW (SI), Y2
	VPMOVZXBW (DI), Y3
	VPSUBW Y3, Y2, Y2
	VPMADDWD Y2, Y2, Y2
	VPADDD Y2, Y0, Y0
	ADDQ   $16, SI
	ADDQ   $16, DI
	DECQ   CX
	JNZ    block
	SUMD
	MOVL   AX, ret+24(FP)
	VZEROUPPER
	RET

// returns sum over i of x[i]*row[i], uint8; blocks > 0
TEXT ·dotU8AVX2(SB), NOSPLIT, $0-28
	MOVQ  x+0(FP), SI
	MOVQ  row+8(FP), DI
	MOVQ  blocks+16(FP), CX
	VPXOR Y0, Y0, Y0

block:
	VPMOVZXBW (SI), Y2
	VPMOVZXBW (DI), Y3
	VPMADDWD Y3, Y2, Y2
	VPADDD Y2, Y0, Y0
	ADDQ   $16, SI
	ADDQ   $16, DI
	DECQ   CX
	JNZ    block
	SUMD
	MOVL   AX, ret+24(FP)
	VZEROUPPER
	RET

// returns sum over i of (x[i]-row[i])^2, int8; blocks > 0
TEXT ·squaredI8AVX2(SB), NOSPLIT, $0-28
	MOVQ  x+0(FP), SI
	MOVQ  row+8(FP), DI
	MOVQ  blocks+16(FP), CX
	VPXOR Y0, Y0, Y0

block:
	VPMOVSXBW (SI), Y2
	VPMOVSXBW (DI), Y3
	VPSUBW Y3, Y2, Y2
	VPMADDWD Y2, Y2, Y2
	VPADDD Y2, Y0, Y0
	ADDQ   $16, SI
	ADDQ   $16, DI
	DECQ   CX
	JNZ    block
	SUMD
	MOVL   AX, ret+24(FP)
	VZEROUPPER
	RET

// returns sum over i of x[i]*row[i], int8; blocks > 0
TEXT ·dotI8AVX2(SB), NOSPLIT, $0-28
	MOVQ  x+0(FP), SI
	MOVQ  row+8(FP), DI
	MOVQ  blocks+16(FP), CX
	VPXOR Y0, Y0, Y0

block:
	VPMOVSXBW (SI), Y2
	VPMOVSXBW (DI), Y3
	VPMADDWD Y3, Y2, Y2
	VPADDD Y2, Y0, Y0
	ADDQ   $16, SI
	ADDQ   $16, DI
	DECQ   CX
	JNZ    block
	SUMD
	MOVL   AX, ret+24(FP)
	VZEROUPPER
	RET

// lanes[i%16] = sum of float32(x[i]-row[i])^2, float32; blocks > 0
TEXT ·squaredF32AVX2(SB), NOSPLIT, $0-32
	MOVQ x+0(FP), SI
	MOVQ row+8(FP), DI
	MOVQ blocks+16(FP), CX
	CLEARLANES

block:
	VMOVUPS (SI), Y4
	VMOVUPS (DI), Y5
	VSUBPS Y5, Y4, Y4
	SQUARES(Y0, Y1)
	VMOVUPS 32(SI), Y4
	VMOVUPS 32(DI), Y5
	VSUBPS Y5, Y4, Y4
	SQUARES(Y2, Y3)
	ADDQ $64, SI
	ADDQ $64, DI
	DECQ CX
	JNZ  block
	STORELANES
	VZEROUPPER
	RET

// lanes[i%16] = sum of x[i]*row[i], float32; blocks > 0
TEXT ·dotF32AVX2(SB), NOSPLIT, $0-32
	MOVQ x+0(FP), SI
	MOVQ row+8(FP), DI
	MOVQ blocks+16(FP), CX
	CLEARLANES

block:
	VMOVUPS (SI), Y4
	VMOVUPS (DI), Y5
	PRODUCTS(Y0, Y1)
	VMOVUPS 32(SI), Y4
	VMOVUPS 32(DI), Y5
	PRODUCTS(Y2, Y3)
	ADDQ $64, SI
	ADDQ $64, DI
	DECQ CX
	JNZ  block
	STORELANES
	VZEROUPPER
	RET

// lanes[i%16] = sum of float32(x[i]-row[i])^2, float16; blocks > 0
TEXT ·squaredF16AVX2(SB), NOSPLIT, $0-32
	MOVQ x+0(FP), SI
	MOVQ row+8(FP), DI
	MOVQ blocks+16(FP), CX
	CLEARLANES

block:
	VCVTPH2PS (SI), Y4
	VCVTPH2PS (DI), Y5
	VSUBPS Y5, Y4, Y4
	SQUARES(Y0, Y1)
	VCVTPH2PS 16(SI), Y4
	VCVTPH2PS 16(DI), Y5
	VSUBPS Y5, Y4, Y4
	SQUARES(Y2, Y3)
	ADDQ $32, SI
	ADDQ $32, DI
	DECQ CX
	JNZ  block
	STORELANES
	VZEROUPPER
	RET

// lanes[i%16] = sum of x[i]*row[i], float16; blocks > 0
TEXT ·dotF16AVX2(SB), NOSPLIT, $0-32
	MOVQ x+0(FP), SI
	MOVQ row+8(FP), DI
	MOVQ blocks+16(FP), CX
	CLEARLANES

block:
	VCVTPH2PS (SI), Y4
	VCVTPH2PS (DI), Y5
	PRODUCTS(Y0, Y1)
	VCVTPH2PS 16(SI), Y4
	VCVTPH2PS 16(DI), Y5
	PRODUCTS(Y2, Y3)
	ADDQ $32, SI
	ADDQ $32, DI
	DECQ CX
	JNZ  block
	STORELANES
	VZEROUPPER
	RET

// lanes[i%16] = sum of x[i]*row[i], x float32, row float16; blocks > 0
TEXT ·dotF32F16AVX2(SB), NOSPLIT, $0-32
	MOVQ x+0(FP), SI
	MOVQ row+8(FP), DI
	MOVQ blocks+16(FP), CX
	CLEARLANES

block:
	VMOVUPS (SI), Y4
	VCVTPH2PS (DI), Y5
	PRODUCTS(Y0, Y1)
	VMOVUPS 32(SI), Y4
	VCVTPH2PS 16(DI), Y5
	PRODUCTS(Y2, Y3)
	ADDQ $64, SI
	ADDQ $32, DI
	DECQ CX
	JNZ  block
	STORELANES
	VZEROUPPER
	RET

// lanes[i%16] = sum of x[i]*row[i], x float32, row uint8; blocks > 0
TEXT ·dotF32U8AVX2(SB), NOSPLIT, $0-32
	MOVQ x+0(FP), SI
	MOVQ row+8(FP), DI
	MOVQ blocks+16(FP), CX
	CLEARLANES

block:
	VMOVUPS (SI), Y4
	VPMOVZXBD (DI), Y5
	VCVTDQ2PS Y5, Y5
	PRODUCTS(Y0, Y1)
	VMOVUPS 32(SI), Y4
	VPMOVZXBD 8(DI), Y5
	VCVTDQ2PS Y5, Y5
	PRODUCTS(Y2, Y3)
	ADDQ $64, SI
	ADDQ $16, DI
	DECQ CX
	JNZ  block
	STORELANES
	VZEROUPPER
	RET

// lanes[i%16] = sum of x[i]*row[i], x float32, row int8; blocks > 0
TEXT ·dotF32I8AVX2(SB), NOSPLIT, $0-32
	MOVQ x+0(FP), SI
	MOVQ row+8(FP), DI
	MOVQ blocks+16(FP), CX
	CLEARLANES

block:
	VMOVUPS (SI), Y4
	VPMOVSXBD (DI), Y5
	VCVTDQ2PS Y5, Y5
	PRODUCTS(Y0, Y1)
	VMOVUPS 32(SI), Y4
	VPMOVSXBD 8(DI), Y5
	VCVTDQ2PS Y5, Y5
	PRODUCTS(Y2, Y3)
	ADDQ $64, SI
	ADDQ $16, DI
	DECQ CX
	JNZ  block
	STORELANES
	VZEROUPPER
	RET
