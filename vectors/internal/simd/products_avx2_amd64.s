//go:build amd64 && !noasm

#include "textflag.h"

// Products of float32 rows by AVX2 with FMA; see products.go for what each
// function computes.

#define ROW(r, a, b) \
	VBROADCASTSS (r)(CX*4), Y10; \
	VFMADD231PS  Y8, Y10, a; \
	VFMADD231PS  Y9, Y10, b

#define PUTROW(a, b) \
	VMOVUPS a, (AX); \
	VMOVUPS b, 32(AX); \
	ADDQ    DX, AX

// func products2(rows *[4]*byte, dim int, panels *byte, stride, count int, c *float32, ldc int)
// Four rows against one panel at a time: eight sums keep both multipliers busy
// for as long as one addition takes.
TEXT ·products2(SB), NOSPLIT, $0-56
	MOVQ rows+0(FP), DI
	MOVQ 0(DI), R8
	MOVQ 8(DI), R9
	MOVQ 16(DI), R10
	MOVQ 24(DI), R11
	MOVQ dim+8(FP), DI
	MOVQ panels+16(FP), BX
	MOVQ stride+24(FP), R12
	MOVQ count+32(FP), R13
	MOVQ c+40(FP), R15
	MOVQ ldc+48(FP), DX
	SHLQ $2, DX

panel:
	TESTQ R13, R13
	JLE   done
	MOVQ  BX, SI
	XORQ  CX, CX
	VXORPS Y0, Y0, Y0
	VXORPS Y1, Y1, Y1
	VXORPS Y2, Y2, Y2
	VXORPS Y3, Y3, Y3
	VXORPS Y4, Y4, Y4
	VXORPS Y5, Y5, Y5
	VXORPS Y6, Y6, Y6
	VXORPS Y7, Y7, Y7

element:
	VMOVUPS (SI), Y8
	VMOVUPS 32(SI), Y9
	ROW(R8, Y0, Y1)
	ROW(R9, Y2, Y3)
	ROW(R10, Y4, Y5)
	ROW(R11, Y6, Y7)
	ADDQ    $64, SI
	INCQ    CX
	CMPQ    CX, DI
	JLT     element
	MOVQ    R15, AX
	PUTROW(Y0, Y1)
	PUTROW(Y2, Y3)
	PUTROW(Y4, Y5)
	PUTROW(Y6, Y7)
	ADDQ    $64, R15
	ADDQ    R12, BX
	DECQ    R13
	JMP     panel

done:
	VZEROUPPER
	RET

// func halves2(dst *float32, src *byte, n int)
// n is a multiple of 16.
TEXT ·halves2(SB), NOSPLIT, $0-24
	MOVQ dst+0(FP), DI
	MOVQ src+8(FP), SI
	MOVQ n+16(FP), CX

sixteen:
	VCVTPH2PS (SI), Y0
	VCVTPH2PS 16(SI), Y1
	VMOVUPS Y0, (DI)
	VMOVUPS Y1, 32(DI)
	ADDQ $32, SI
	ADDQ $64, DI
	SUBQ $16, CX
	JG   sixteen
	VZEROUPPER
	RET
