//go:build amd64 && !noasm

#include "textflag.h"
#include "tiles_amd64.h"

// Products of short codes by AVX2; see codes_short.go. VPMADDUBSW multiplies bytes and adds
// two products in a word, at most 63*32*2 of either sign: sums of eight steps fit it. Then
// pairs of words are added to the sums, which are in memory.

// STEPS adds the products of a group of four elements, at of row r, with those of 16 columns in
// Y8 and Y9 to the words in a and b. x, t and u are scratch.
#define STEPS(r, at, a, b, x, t, u) \
	VPBROADCASTD at(r)(CX*4), x; \
	VPMADDUBSW Y8, x, t; \
	VPMADDUBSW Y9, x, u; \
	VPADDW t, a, a; \
	VPADDW u, b, b

// GROUP is that step of four rows, of the group i after the one at CX and SI.
#define GROUP(i) \
	VMOVDQU (64*i)(SI), Y8; \
	VMOVDQU (64*i+32)(SI), Y9; \
	STEPS(R8, (4*i), Y0, Y1, Y10, Y11, Y12); \
	STEPS(R9, (4*i), Y2, Y3, Y10, Y13, Y14); \
	STEPS(R10, (4*i), Y4, Y5, Y10, Y11, Y12); \
	STEPS(R11, (4*i), Y6, Y7, Y10, Y13, Y14)

#define EIGHTGROUPS \
	GROUP(0); \
	GROUP(1); \
	GROUP(2); \
	GROUP(3); \
	GROUP(4); \
	GROUP(5); \
	GROUP(6); \
	GROUP(7)

// WIDEN makes words in all sums dwords.
#define WIDEN \
	VPMADDWD Y15, Y0, Y0; \
	VPMADDWD Y15, Y1, Y1; \
	VPMADDWD Y15, Y2, Y2; \
	VPMADDWD Y15, Y3, Y3; \
	VPMADDWD Y15, Y4, Y4; \
	VPMADDWD Y15, Y5, Y5; \
	VPMADDWD Y15, Y6, Y6; \
	VPMADDWD Y15, Y7, Y7

// ADD2 and ADD4 add what is in memory to sums of one row, at AX, and of four.
#define ADD2(a, b) \
	VPADDD (AX), a, a; \
	VPADDD 32(AX), b, b; \
	ADDQ DX, AX

#define ADD4 \
	ADD2(Y0, Y1); \
	ADD2(Y2, Y3); \
	ADD2(Y4, Y5); \
	ADD2(Y6, Y7)

// QUAD leaves in Y0 to Y7 the sums of four rows with a panel, of which Y15 has the ones:
//	R8 to R11 rows   CX groups done   SI in the panel   DI groups
//	AX and R13 where the sums go   DX from a row's to the next   BX scratch
// It goes through all blocks of eight groups, the sums of all but the last of which go to
// memory, and ends with AX at R13.
#define QUAD \
	XORQ CX, CX; \
	CLEAR4; \
	CMPQ DI, $8; \
	JLE  last; \
	EIGHTGROUPS; \
	MOVQ $8, CX; \
	ADDQ $512, SI; \
	WIDEN; \
	JMP  put; \
	\
block: \
	CLEAR4; \
	EIGHTGROUPS; \
	ADDQ $8, CX; \
	ADDQ $512, SI; \
	WIDEN; \
	MOVQ R13, AX; \
	ADD4; \
	\
put: \
	MOVQ R13, AX; \
	PUT4; \
	LEAQ 8(CX), BX; \
	CMPQ BX, DI; \
	JLT  block; \
	CLEAR4; \
	\
last: \
	GROUP(0); \
	ADDQ $64, SI; \
	INCQ CX; \
	CMPQ CX, DI; \
	JLT  last; \
	WIDEN; \
	MOVQ R13, AX; \
	CMPQ DI, $8; \
	JLE  whole; \
	ADD4; \
	MOVQ R13, AX; \
	\
whole:

// func dotsShort2(quads int, rows *[16]*byte, groups int, panels *byte, stride, count int, c *int32, ldc int)
// Four rows against one panel at a time, which all rows meet before the next one comes.
//	R12 quads left   R15 sums of the panel
TEXT ·dotsShort2(SB), NOSPLIT, $0-64
	MOVQ groups+16(FP), DI
	MOVQ c+48(FP), R15
	MOVQ ldc+56(FP), DX
	SHLQ $2, DX
	VPCMPEQW Y15, Y15, Y15
	VPSRLW $15, Y15, Y15

panel:
	SUBQ $1, count+40(FP)
	JLT  done
	MOVQ quads+0(FP), R12
	MOVQ rows+8(FP), BX
	MOVQ R15, R13

quad:
	MOVQ 0(BX), R8
	MOVQ 8(BX), R9
	MOVQ 16(BX), R10
	MOVQ 24(BX), R11
	MOVQ panels+24(FP), SI
	QUAD
	PUT4
	MOVQ AX, R13
	MOVQ quads+0(FP), BX
	SUBQ R12, BX
	INCQ BX
	SHLQ $5, BX
	ADDQ rows+8(FP), BX
	DECQ R12
	JNZ  quad
	MOVQ stride+32(FP), AX
	ADDQ AX, panels+24(FP)
	ADDQ $64, R15
	JMP  panel

done:
	VZEROUPPER
	RET

// MARK makes sums of a row with a panel distances, at AX, and notes at SI which of them count:
// those at most the row's bound or the column's. Norms of the columns are in Y8 and Y9, their
// bounds in Y10 and Y11; R8 is where the row's add is, R9 where its bound.
#define MARK(a, b) \
	VPBROADCASTD (R8), Y12; \
	VPBROADCASTD (R9), Y13; \
	VPADDD a, a, a; \
	VPADDD b, b, b; \
	VPADDD Y8, Y12, Y14; \
	VPADDD Y9, Y12, Y12; \
	VPSUBD a, Y14, a; \
	VPSUBD b, Y12, b; \
	VMOVDQU a, (AX); \
	VMOVDQU b, 32(AX); \
	VPMAXUD Y10, Y13, Y14; \
	VPMAXUD Y11, Y13, Y12; \
	VPMINUD a, Y14, Y14; \
	VPMINUD b, Y12, Y12; \
	VPCMPEQD a, Y14, Y14; \
	VPCMPEQD b, Y12, Y12; \
	VMOVMSKPS Y14, R10; \
	VMOVMSKPS Y12, R11; \
	SHLL $8, R11; \
	ORL  R11, R10; \
	MOVW R10, (SI); \
	ADDQ $4, R8; \
	ADDQ $4, R9; \
	ADDQ CX, SI; \
	ADDQ DX, AX

// func pairsShort2(quads int, rows *[16]*byte, groups int, panels *byte, stride, count int, d *uint32, ldd int, norms, adds, bounds, either *uint32, marks *uint64, ldm int)
// dotsShort2, and while the sums are in registers what is near among them.
//	R12 quads done, times 32 bytes of pointers
TEXT ·pairsShort2(SB), NOSPLIT, $0-112
	MOVQ groups+16(FP), DI
	MOVQ d+48(FP), R15
	MOVQ ldd+56(FP), DX
	SHLQ $2, DX
	SHLQ $3, ldm+104(FP)
	SHLQ $5, quads+0(FP)
	VPCMPEQW Y15, Y15, Y15
	VPSRLW $15, Y15, Y15

panel:
	SUBQ $1, count+40(FP)
	JLT  done
	XORQ R12, R12
	MOVQ R15, R13

quad:
	MOVQ rows+8(FP), BX
	ADDQ R12, BX
	MOVQ 0(BX), R8
	MOVQ 8(BX), R9
	MOVQ 16(BX), R10
	MOVQ 24(BX), R11
	MOVQ panels+24(FP), SI
	QUAD
	MOVQ R12, BX
	SHRQ $1, BX
	MOVQ adds+72(FP), R8
	MOVQ bounds+80(FP), R9
	ADDQ BX, R8
	ADDQ BX, R9
	MOVQ norms+64(FP), SI
	VMOVDQU (SI), Y8
	VMOVDQU 32(SI), Y9
	MOVQ either+88(FP), SI
	VMOVDQU (SI), Y10
	VMOVDQU 32(SI), Y11
	MOVQ ldm+104(FP), CX
	SHRQ $2, BX // rows before
	MOVQ CX, SI
	IMULQ BX, SI
	ADDQ marks+96(FP), SI
	MARK(Y0, Y1)
	MARK(Y2, Y3)
	MARK(Y4, Y5)
	MARK(Y6, Y7)
	MOVQ AX, R13
	ADDQ $32, R12
	CMPQ R12, quads+0(FP)
	JLT  quad
	MOVQ stride+32(FP), AX
	ADDQ AX, panels+24(FP)
	ADDQ $64, R15
	ADDQ $64, norms+64(FP)
	ADDQ $64, either+88(FP)
	ADDQ $2, marks+96(FP)
	JMP  panel

done:
	VZEROUPPER
	RET
