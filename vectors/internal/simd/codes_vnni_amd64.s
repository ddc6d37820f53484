//go:build amd64 && !noasm

#include "textflag.h"
#include "tiles_amd64.h"

// Tiles of codes by AVX-512 with VNNI; see codes.go for what each function computes.

// LOAD16 loads up to 64 bytes of each of 16 rows, at CX, into Z0 to Z15.
#define LOAD(n, z) \
	MOVQ n*8(DI), AX; \
	VMOVDQU32.Z (AX)(CX*1), K1, z; \
	VPXORD Z31, z, z

// QUADS turns dwords of four rows a, b, c, d into quads of one column: lane L
// of p, q, r, s then holds columns 4L, 4L+1, 4L+2, 4L+3 of the four rows. a and
// b are lost.
#define QUADS(a, b, c, d, p, q, r, s) \
	VPUNPCKLDQ b, a, p; \
	VPUNPCKHDQ b, a, r; \
	VPUNPCKLDQ d, c, q; \
	VPUNPCKHDQ d, c, s; \
	VPUNPCKHQDQ q, p, a; \
	VPUNPCKLQDQ q, p, p; \
	VPUNPCKHQDQ s, r, b; \
	VPUNPCKLQDQ s, r, r; \
	VMOVDQA64 a, q; \
	VMOVDQA64 b, s

// LANES stores column 4L+col of all 16 rows, for the four lanes L, from the
// quads a, b, c, d of its four groups of rows. Z0 to Z3 are scratch.
#define LANES(a, b, c, d, col) \
	VSHUFI32X4 $0x44, b, a, Z0; \
	VSHUFI32X4 $0xEE, b, a, Z1; \
	VSHUFI32X4 $0x44, d, c, Z2; \
	VSHUFI32X4 $0xEE, d, c, Z3; \
	VSHUFI32X4 $0x88, Z2, Z0, Z4; \
	VSHUFI32X4 $0xDD, Z2, Z0, Z5; \
	VSHUFI32X4 $0x88, Z3, Z1, Z6; \
	VSHUFI32X4 $0xDD, Z3, Z1, Z7; \
	VMOVDQU32 Z4, (64*col)(SI); \
	VMOVDQU32 Z5, (64*(4+col))(SI); \
	VMOVDQU32 Z6, (64*(8+col))(SI); \
	VMOVDQU32 Z7, (64*(12+col))(SI)

// func pack512(rows *[16]*byte, groups int, panel *byte, flip uint32)
// 16 groups, 64 bytes of every row, at a time: a transposition of 16 by 16
// dwords, each flipped. The last time may write groups beyond the last, up to the
// stride.
TEXT ·pack512(SB), NOSPLIT, $0-28
	MOVQ rows+0(FP), DI
	MOVQ groups+8(FP), R8
	MOVQ panel+16(FP), SI
	MOVL flip+24(FP), AX
	VPBROADCASTD AX, Z31
	XORQ CX, CX

chunk:
	TESTQ R8, R8
	JLE   done
	MOVL  $0xFFFF, DX
	CMPQ  R8, $16
	JGE   full
	BZHIL R8, DX, DX

full:
	KMOVW DX, K1

	LOAD(0, Z0)
	LOAD(1, Z1)
	LOAD(2, Z2)
	LOAD(3, Z3)
	LOAD(4, Z4)
	LOAD(5, Z5)
	LOAD(6, Z6)
	LOAD(7, Z7)
	LOAD(8, Z8)
	LOAD(9, Z9)
	LOAD(10, Z10)
	LOAD(11, Z11)
	LOAD(12, Z12)
	LOAD(13, Z13)
	LOAD(14, Z14)
	LOAD(15, Z15)
	QUADS(Z0, Z1, Z2, Z3, Z16, Z17, Z18, Z19)
	QUADS(Z4, Z5, Z6, Z7, Z20, Z21, Z22, Z23)
	QUADS(Z8, Z9, Z10, Z11, Z24, Z25, Z26, Z27)
	QUADS(Z12, Z13, Z14, Z15, Z28, Z29, Z30, Z8)
	LANES(Z16, Z20, Z24, Z28, 0)
	LANES(Z17, Z21, Z25, Z29, 1)
	LANES(Z18, Z22, Z26, Z30, 2)
	LANES(Z19, Z23, Z27, Z8, 3)
	ADDQ $1024, SI
	ADDQ $64, CX
	SUBQ $16, R8
	JMP  chunk

done:
	VZEROUPPER
	RET

// STEP3 adds the products of four elements of row r with three panels.
#define STEP3(r, a, b, c, t) \
	VPBROADCASTD (r)(CX*4), t; \
	VPDPBUSD Z24, t, a; \
	VPDPBUSD Z25, t, b; \
	VPDPBUSD Z26, t, c

#define STEP1(r, a, t) \
	VPBROADCASTD (r)(CX*4), t; \
	VPDPBUSD Z24, t, a

// func dotsVNNI(rows *[8]*byte, groups int, panels *byte, stride, count int, c *int32, ldc int)
// Eight rows against three panels at a time: 24 sums in registers keep both
// multipliers busy with 11 loads for 24 products. What is left goes one by one.
TEXT ·dotsVNNI(SB), NOSPLIT, $0-56
	MOVQ rows+0(FP), DI
	ROWS8
	MOVQ groups+8(FP), DI
	MOVQ stride+24(FP), BX

three:
	CMPQ count+32(FP), $3
	JLT  one
	MOVQ panels+16(FP), SI
	LEAQ (SI)(BX*2), AX
	ADDQ BX, AX
	MOVQ AX, panels+16(FP)

	CLEAR24
	XORQ CX, CX

group3:
	VMOVDQU32 (SI), Z24
	VMOVDQU32 (SI)(BX*1), Z25
	VMOVDQU32 (SI)(BX*2), Z26
	STEPS24(STEP3)
	ADDQ $64, SI
	INCQ CX
	CMPQ CX, DI
	JLT  group3
	MOVQ c+40(FP), AX
	MOVQ ldc+48(FP), DX
	SHLQ $2, DX
	PUT24
	ADDQ $192, c+40(FP)
	SUBQ $3, count+32(FP)
	JMP  three

one:
	CMPQ count+32(FP), $1
	JLT  done
	MOVQ panels+16(FP), SI
	ADDQ BX, panels+16(FP)

	CLEAR8
	XORQ CX, CX

group1:
	VMOVDQU32 (SI), Z24
	STEPS8(STEP1)
	ADDQ $64, SI
	INCQ CX
	CMPQ CX, DI
	JLT  group1
	MOVQ c+40(FP), AX
	MOVQ ldc+48(FP), DX
	SHLQ $2, DX
	PUT8
	ADDQ $64, c+40(FP)
	DECQ count+32(FP)
	JMP  one

done:
	VZEROUPPER
	RET

// MARK makes sums of a row with a panel distances, writes them at AX+16*at, and which of
// them count at SI+at: those at most the row's bound or the column's. norm and bound are
// of the panel's columns, CX is where the row's add is, DI where its bound.
#define MARK(sums, norm, bound, at) \
	VPADDD      sums, sums, sums; \
	VPADDD.BCST (CX), norm, Z30; \
	VPSUBD      sums, Z30, sums; \
	VPMAXUD.BCST (DI), bound, Z31; \
	VPCMPUD     $2, Z31, sums, K1; \
	VMOVDQU32   sums, (32*at)(AX); \
	KMOVW       K1, at(SI)

#define NEXTROW \
	ADDQ DX, AX; \
	ADDQ BX, SI; \
	ADDQ $4, CX; \
	ADDQ $4, DI

#define MARK3(a, b, c) \
	MARK(a, Z24, Z27, 0); \
	MARK(b, Z25, Z28, 2); \
	MARK(c, Z26, Z29, 4); \
	NEXTROW

#define MARK1(a) \
	MARK(a, Z24, Z27, 0); \
	NEXTROW

// func pairsVNNI(rows *[8]*byte, groups int, panels *byte, stride, count int, d *uint32, ldd int, norms, adds, bounds, either *uint32, marks *uint64, ldm int)
// dotsVNNI, and while the sums are in registers what is near among them.
TEXT ·pairsVNNI(SB), NOSPLIT, $0-104

// PLACES is where the distances of the first row go and how far it is to the next row's,
// the same of marks, and the rows' adds and bounds.
#define PLACES \
	MOVQ d+40(FP), AX; \
	MOVQ ldd+48(FP), DX; \
	SHLQ $2, DX; \
	MOVQ marks+88(FP), SI; \
	MOVQ ldm+96(FP), BX; \
	SHLQ $3, BX; \
	MOVQ adds+64(FP), CX; \
	MOVQ bounds+72(FP), DI

	MOVQ rows+0(FP), DI
	ROWS8

three:
	CMPQ count+32(FP), $3
	JLT  one
	MOVQ groups+8(FP), DI
	MOVQ stride+24(FP), BX
	MOVQ panels+16(FP), SI
	LEAQ (SI)(BX*2), AX
	ADDQ BX, AX
	MOVQ AX, panels+16(FP)

	CLEAR24
	XORQ CX, CX

group3:
	VMOVDQU32 (SI), Z24
	VMOVDQU32 (SI)(BX*1), Z25
	VMOVDQU32 (SI)(BX*2), Z26
	STEPS24(STEP3)
	ADDQ $64, SI
	INCQ CX
	CMPQ CX, DI
	JLT  group3

	MOVQ norms+56(FP), AX
	VMOVDQU32 (AX), Z24
	VMOVDQU32 64(AX), Z25
	VMOVDQU32 128(AX), Z26
	MOVQ either+80(FP), AX
	VMOVDQU32 (AX), Z27
	VMOVDQU32 64(AX), Z28
	VMOVDQU32 128(AX), Z29
	PLACES
	MARK3(Z0, Z1, Z2)
	MARK3(Z3, Z4, Z5)
	MARK3(Z6, Z7, Z8)
	MARK3(Z9, Z10, Z11)
	MARK3(Z12, Z13, Z14)
	MARK3(Z15, Z16, Z17)
	MARK3(Z18, Z19, Z20)
	MARK3(Z21, Z22, Z23)
	ADDQ $192, d+40(FP)
	ADDQ $192, norms+56(FP)
	ADDQ $192, either+80(FP)
	ADDQ $6, marks+88(FP)
	SUBQ $3, count+32(FP)
	JMP  three

one:
	CMPQ count+32(FP), $1
	JLT  done
	MOVQ groups+8(FP), DI
	MOVQ stride+24(FP), BX
	MOVQ panels+16(FP), SI
	ADDQ BX, panels+16(FP)

	CLEAR8
	XORQ CX, CX

group1:
	VMOVDQU32 (SI), Z24
	STEPS8(STEP1)
	ADDQ $64, SI
	INCQ CX
	CMPQ CX, DI
	JLT  group1

	MOVQ norms+56(FP), AX
	VMOVDQU32 (AX), Z24
	MOVQ either+80(FP), AX
	VMOVDQU32 (AX), Z27
	PLACES
	MARK1(Z0)
	MARK1(Z1)
	MARK1(Z2)
	MARK1(Z3)
	MARK1(Z4)
	MARK1(Z5)
	MARK1(Z6)
	MARK1(Z7)
	ADDQ $64, d+40(FP)
	ADDQ $64, norms+56(FP)
	ADDQ $64, either+80(FP)
	ADDQ $2, marks+88(FP)
	DECQ count+32(FP)
	JMP  one

done:
	VZEROUPPER
	RET

// PREFETCHROWS asks for rows line by line: a row may begin within one, and end in one more
// than it is long.
//	SI base   R8 stride   R9 ids   R10 n   R11 bytes
#define PREFETCHROWS(PREFETCH) \
row: \
	MOVL  (R9), DI; \
	ADDQ  $4, R9; \
	IMULQ R8, DI; \
	ADDQ  SI, DI; \
	LEAQ  (DI)(R11*1), CX; \
	ANDQ  $-64, DI; \
line: \
	PREFETCH (DI); \
	ADDQ $64, DI; \
	CMPQ DI, CX; \
	JCS  line; \
	DECQ R10; \
	JNZ  row; \
	RET

// func prefetchRows(base *byte, stride int, ids *uint32, n, bytes int)
// To the second-level cache: of a burst to the first, an AMD core (Zen 4) drops what is beyond
// some thirty lines.
TEXT ·prefetchRows(SB), NOSPLIT, $0-40
	MOVQ base+0(FP), SI
	MOVQ stride+8(FP), R8
	MOVQ ids+16(FP), R9
	MOVQ n+24(FP), R10
	MOVQ bytes+32(FP), R11
	PREFETCHROWS(PREFETCHT1)

// func prefetchFewRows(base *byte, stride int, ids *uint32, n, bytes int)
// To the first-level cache: of a few lines to the second that lie anywhere, the same core may
// bring none (rows of one to four lines, read a microsecond later, take as long as without).
TEXT ·prefetchFewRows(SB), NOSPLIT, $0-40
	MOVQ base+0(FP), SI
	MOVQ stride+8(FP), R8
	MOVQ ids+16(FP), R9
	MOVQ n+24(FP), R10
	MOVQ bytes+32(FP), R11
	PREFETCHROWS(PREFETCHT0)
