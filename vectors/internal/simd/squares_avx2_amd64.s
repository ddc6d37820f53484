//go:build amd64 && !noasm

#include "textflag.h"

// The squared distances of a row of bytes to a list of rows: absolute differences of bytes, which
// saturating subtractions both ways give, widened and multiplied by themselves.

// SQUARES adds the squares of the differences in Y2 and Y3, as unsigned bytes, to Y0 and Y1.
#define SQUARES \
	VPSUBUSB   Y3, Y2, Y4; \
	VPSUBUSB   Y2, Y3, Y5; \
	VPOR       Y4, Y5, Y4; \
	VPUNPCKLBW Y15, Y4, Y5; \
	VPUNPCKHBW Y15, Y4, Y4; \
	VPMADDWD   Y5, Y5, Y5; \
	VPMADDWD   Y4, Y4, Y4; \
	VPADDD     Y5, Y0, Y0; \
	VPADDD     Y4, Y1, Y1

// func squaresAVX2(x, base *byte, stride int, ids *uint32, n, wide, half int, out *uint32, sign *byte)
// out[j] of the first 32*wide+16*half bytes of x and of row ids[j]; sign, which all bytes are XORed
// with, is 0 for unsigned and 0x80 for signed ones; n > 0.
TEXT ·squaresAVX2(SB), NOSPLIT, $0-72
	MOVQ         x+0(FP), SI
	MOVQ         base+8(FP), R8
	MOVQ         stride+16(FP), R9
	MOVQ         ids+24(FP), R10
	MOVQ         n+32(FP), R11
	MOVQ         wide+40(FP), R12
	MOVQ         half+48(FP), BX
	MOVQ         out+56(FP), R13
	MOVQ         sign+64(FP), DX
	VPBROADCASTB (DX), Y14
	VPXOR        Y15, Y15, Y15

row:
	MOVL  (R10), DI
	IMULQ R9, DI
	ADDQ  R8, DI
	MOVQ  SI, AX
	VPXOR Y0, Y0, Y0
	VPXOR Y1, Y1, Y1
	MOVQ  R12, CX
	TESTQ CX, CX
	JZ    rest

block:
	VPXOR (AX), Y14, Y2
	VPXOR (DI), Y14, Y3
	SQUARES
	ADDQ  $32, AX
	ADDQ  $32, DI
	DECQ  CX
	JNZ   block

rest:
	TESTQ   BX, BX
	JZ      sum
	VMOVDQU (AX), X2 // the upper halves are zeros
	VMOVDQU (DI), X3
	VPXOR   Y14, Y2, Y2
	VPXOR   Y14, Y3, Y3
	SQUARES

sum:
	VPADDD       Y1, Y0, Y0
	VEXTRACTI128 $1, Y0, X1
	VPADDD       X1, X0, X0
	VPSHUFD      $0x4E, X0, X1
	VPADDD       X1, X0, X0
	VPSHUFD      $0xB1, X0, X1
	VPADDD       X1, X0, X0
	VMOVD        X0, (R13)
	ADDQ         $4, R10
	ADDQ         $4, R13
	DECQ         R11
	JNZ          row
	VZEROUPPER
	RET
