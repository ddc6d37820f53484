//go:build amd64 && !noasm

#include "textflag.h"
#include "tiles_amd64.h"

// Products of float32 rows by AVX2 with FMA; see products.go for what each
// function computes.

#define STEP2(r, a, b) \
	VBROADCASTSS (r)(CX*4), Y10; \
	VFMADD231PS  Y8, Y10, a; \
	VFMADD231PS  Y9, Y10, b

// func products2(rows *[4]*byte, dim int, panels *byte, stride, count int, c *float32, ldc int)
// Four rows against one panel at a time: eight sums keep both multipliers busy
// for as long as one addition takes.
TEXT ·products2(SB), NOSPLIT, $0-56
	MOVQ rows+0(FP), DI
	ROWS4
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
	CLEAR4

element:
	VMOVUPS (SI), Y8
	VMOVUPS 32(SI), Y9
	STEPS4(STEP2)
	ADDQ    $64, SI
	INCQ    CX
	CMPQ    CX, DI
	JLT     element
	MOVQ    R15, AX
	PUT4
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
