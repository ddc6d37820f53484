//go:build amd64 && !noasm

#include "textflag.h"
#include "tiles_amd64.h"

// Codes by AVX2; see codes.go for what it computes.

DATA low<>+0(SB)/4, $0x00FF00FF
GLOBL low<>(SB), RODATA|NOPTR, $4

// STEP2 adds the products of four elements of a row with a panel: even and odd
// bytes apart, as words, because the instruction that multiplies bytes would
// saturate. Y10 and Y8 hold the even and odd bytes of columns 0 to 7, Y11 and
// Y9 those of columns 8 to 15.
#define STEP2(r, a, b) \
	VPBROADCASTD (r)(CX*4), Y12; \
	VPAND        Y15, Y12, Y13; \
	VPSRLW       $8, Y12, Y12; \
	VPMADDWD     Y13, Y10, Y14; \
	VPADDD       Y14, a, a; \
	VPMADDWD     Y12, Y8, Y14; \
	VPADDD       Y14, a, a; \
	VPMADDWD     Y13, Y11, Y14; \
	VPADDD       Y14, b, b; \
	VPMADDWD     Y12, Y9, Y14; \
	VPADDD       Y14, b, b

// func dotsAVX2(rows *[4]*byte, groups int, panels *byte, stride, count int, c *int32, ldc int)
// Four rows against one panel at a time.
TEXT ·dotsAVX2(SB), NOSPLIT, $0-56
	MOVQ rows+0(FP), DI
	ROWS4
	MOVQ groups+8(FP), DI
	MOVQ panels+16(FP), BX
	MOVQ stride+24(FP), R12
	MOVQ count+32(FP), R13
	MOVQ c+40(FP), R15
	MOVQ ldc+48(FP), DX
	SHLQ $2, DX
	VPBROADCASTD low<>(SB), Y15

panel:
	TESTQ R13, R13
	JLE   done
	MOVQ  BX, SI
	XORQ  CX, CX
	CLEAR4

group:
	VMOVDQU (SI), Y8
	VMOVDQU 32(SI), Y9
	VPSLLW  $8, Y8, Y10
	VPSLLW  $8, Y9, Y11
	VPSRAW  $8, Y10, Y10
	VPSRAW  $8, Y11, Y11
	VPSRAW  $8, Y8, Y8
	VPSRAW  $8, Y9, Y9
	STEPS4(STEP2)
	ADDQ    $64, SI
	INCQ    CX
	CMPQ    CX, DI
	JLT     group
	MOVQ    R15, AX
	PUT4
	ADDQ    $64, R15
	ADDQ    R12, BX
	DECQ    R13
	JMP     panel

done:
	VZEROUPPER
	RET
