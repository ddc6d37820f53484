//go:build amd64 && !noasm

#include "textflag.h"
#include "tiles_amd64.h"
#include "lanes_amd64.h"

// Codes by AVX2; see codes.go for what it computes.
//
// The instruction that multiplies bytes would saturate, so panels and rows hold
// words: panels, of every group of four elements, first the even ones, then the odd ones;
// rows all even ones, then, a plane further, all odd ones. With AVX-VNNI, which multiplies
// bytes as they are, panels are those of AVX-512.

// EIGHT loads up to 32 bytes, at CX, of eight rows into Y0 to Y7: dwords -R10, negated so
// that it counts in the lanes at R9. LOAD loads those of one row.
#define LOAD(n, y) \
	MOVQ n*8(DI), AX; \
	VPMASKMOVD (AX)(CX*1), Y15, y

#define EIGHT \
	VMOVDQU 32(R9)(R10*4), Y15; \
	LOAD(0, Y0); \
	LOAD(1, Y1); \
	LOAD(2, Y2); \
	LOAD(3, Y3); \
	LOAD(4, Y4); \
	LOAD(5, Y5); \
	LOAD(6, Y6); \
	LOAD(7, Y7)

// QUADS turns dwords of four rows a, b, c, d into quads of one column: lane L of p, q,
// r, s then holds columns 4L, 4L+1, 4L+2, 4L+3 of the four rows. a and b are scratch.
#define QUADS(a, b, c, d, p, q, r, s) \
	VPUNPCKLDQ b, a, p; \
	VPUNPCKHDQ b, a, r; \
	VPUNPCKLDQ d, c, a; \
	VPUNPCKHDQ d, c, b; \
	VPUNPCKHQDQ a, p, q; \
	VPUNPCKLQDQ a, p, p; \
	VPUNPCKHQDQ b, r, s; \
	VPUNPCKLQDQ b, r, r

// TRANSPOSED calls put(group, its eight dwords) for eight groups of eight rows.
#define TRANSPOSED(put) \
	QUADS(Y0, Y1, Y2, Y3, Y8, Y9, Y10, Y11); \
	QUADS(Y4, Y5, Y6, Y7, Y12, Y13, Y14, Y15); \
	VPBROADCASTD flip+24(FP), Y7; \
	VPERM2I128 $0x20, Y12, Y8, Y0; \
	VPERM2I128 $0x20, Y13, Y9, Y1; \
	put(0, Y0); \
	put(1, Y1); \
	VPERM2I128 $0x20, Y14, Y10, Y2; \
	VPERM2I128 $0x20, Y15, Y11, Y3; \
	put(2, Y2); \
	put(3, Y3); \
	VPERM2I128 $0x31, Y12, Y8, Y0; \
	VPERM2I128 $0x31, Y13, Y9, Y1; \
	put(4, Y0); \
	put(5, Y1); \
	VPERM2I128 $0x31, Y14, Y10, Y2; \
	VPERM2I128 $0x31, Y15, Y11, Y3; \
	put(6, Y2); \
	put(7, Y3)

// PACK writes half of a panel, of eight rows, with put: eight groups at a time, which
// take so many bytes of it. The last time it may write groups beyond the last, up to
// the stride.
//	DI rows   R8 groups left   SI panel   CX bytes of the rows read
#define PACK(put, bytes) \
	MOVQ rows+0(FP), DI; \
	MOVQ groups+8(FP), R8; \
	MOVQ panel+16(FP), SI; \
	LEAQ lanes<>(SB), R9; \
	XORQ CX, CX; \
	\
eight: \
	MOVQ $8, R10; \
	CMPQ R8, R10; \
	CMOVQLT R8, R10; \
	NEGQ R10; \
	EIGHT; \
	TRANSPOSED(put); \
	ADDQ $bytes, SI; \
	ADDQ $32, CX; \
	SUBQ $8, R8; \
	JG   eight; \
	VZEROUPPER; \
	RET

#define PUTBYTES(g, y) \
	VPXOR Y7, y, y; \
	VMOVDQU y, (64*g)(SI)

// func pack2(rows *[8]*byte, groups int, panel *byte, flip uint32)
// Half of a panel of dwords, each flipped; groups > 0.
TEXT ·pack2(SB), NOSPLIT, $0-28
	PACK(PUTBYTES, 512)

#define PUTSHORT(g, y) \
	VPSUBB Y7, y, y; \
	VMOVDQU y, (64*g)(SI)

// func packShort2(rows *[8]*byte, groups int, panel *byte, less uint32)
// Half of a panel of dwords, whose bytes are less by those of less; groups > 0.
TEXT ·packShort2(SB), NOSPLIT, $0-28
	PACK(PUTSHORT, 512)

#define PUTWORDS(g, y) \
	VPXOR  Y7, y, y; \
	VPSLLW $8, y, Y4; \
	VPSRAW $8, y, y; \
	VPSRAW $8, Y4, Y4; \
	VMOVDQU Y4, (128*g)(SI); \
	VMOVDQU y, (128*g+64)(SI)

// func packWords2(rows *[8]*byte, groups int, panel *byte, flip uint32)
// Half of a panel of words: bytes, flipped, with their signs; groups > 0.
TEXT ·packWords2(SB), NOSPLIT, $0-28
	PACK(PUTWORDS, 1024)

// func widen2(rows *[16]*byte, n, groups int, room *byte, plane int)
// The even elements of n rows, and the odd ones a plane of bytes behind them; two planes
// a row. n and groups > 0.
TEXT ·widen2(SB), NOSPLIT, $0-40
	MOVQ rows+0(FP), DI
	MOVQ n+8(FP), R11
	MOVQ room+24(FP), SI
	MOVQ plane+32(FP), BX
	LEAQ lanes<>(SB), R9
	VPCMPEQD Y3, Y3, Y3
	VPSRLW $8, Y3, Y3

row:
	MOVQ (DI), AX
	MOVQ groups+16(FP), R8
	XORQ CX, CX
	LEAQ (SI)(BX*1), DX

eight:
	MOVQ $8, R10
	CMPQ R8, R10
	CMOVQLT R8, R10
	NEGQ R10
	VMOVDQU 32(R9)(R10*4), Y0
	VPMASKMOVD (AX)(CX*1), Y0, Y1
	VPAND  Y3, Y1, Y2
	VPSRLW $8, Y1, Y1
	VMOVDQU Y2, (SI)(CX*1)
	VMOVDQU Y1, (DX)(CX*1)
	ADDQ $32, CX
	SUBQ $8, R8
	JG   eight
	LEAQ (SI)(BX*2), SI
	ADDQ $8, DI
	DECQ R11
	JNZ  row
	VZEROUPPER
	RET

// WORDS adds the products of two elements of four rows, at i of each, with those of 16
// columns at SI.
#define STEPW(r, i, a, b, x, t, u) \
	VPBROADCASTD (r)(i*4), x; \
	VPMADDWD Y8, x, t; \
	VPMADDWD Y9, x, u; \
	VPADDD   t, a, a; \
	VPADDD   u, b, b

#define WORDS(at, i) \
	VMOVDQU at(SI), Y8; \
	VMOVDQU (at+32)(SI), Y9; \
	STEPW(R8, i, Y0, Y1, Y10, Y11, Y12); \
	STEPW(R9, i, Y2, Y3, Y13, Y14, Y15); \
	STEPW(R10, i, Y4, Y5, Y10, Y11, Y12); \
	STEPW(R11, i, Y6, Y7, Y13, Y14, Y15)

// func dotsWords2(quads int, room *byte, plane, groups int, panels *byte, stride, count int, c *int32, ldc int)
// Four rows against one panel at a time, which all rows meet before the next one comes.
//	R8 to R11 rows   CX even elements   BX odd ones   SI in the panel   DI groups
//	R12 quads left   R13 plane   R15 sums of the panel   DX from a row's to the next
TEXT ·dotsWords2(SB), NOSPLIT, $0-72
	MOVQ plane+16(FP), R13
	MOVQ groups+24(FP), DI
	MOVQ c+56(FP), R15
	MOVQ ldc+64(FP), DX
	SHLQ $2, DX

panel:
	SUBQ $1, count+48(FP)
	JLT  done
	MOVQ quads+0(FP), R12
	MOVQ room+8(FP), R8
	MOVQ R15, AX

quad:
	LEAQ (R8)(R13*2), R9
	LEAQ (R9)(R13*2), R10
	LEAQ (R10)(R13*2), R11
	MOVQ panels+32(FP), SI
	XORQ CX, CX
	MOVQ R13, BX
	SHRQ $2, BX
	CLEAR4

group:
	WORDS(0, CX)
	WORDS(64, BX)
	ADDQ $128, SI
	INCQ CX
	INCQ BX
	CMPQ CX, DI
	JLT  group
	PUT4
	LEAQ (R11)(R13*2), R8
	DECQ R12
	JNZ  quad
	MOVQ stride+40(FP), AX
	ADDQ AX, panels+32(FP)
	ADDQ $64, R15
	JMP  panel

done:
	VZEROUPPER
	RET

// DPBUSD adds to sums y the products of the unsigned bytes in register x, 10 to 13, and
// the signed ones in register 8 + p, as VEX encodes it: Go's assembler knows the
// encoding of AVX-512 only.
#define DPBUSD(p, x, y) BYTE $0xC4; BYTE $0xC2; BYTE $(5+8*(15-x)); BYTE $0x50; BYTE $(0xC0+8*y+p)

#define STEPB(r, x, y, a) \
	VPBROADCASTD (r)(CX*4), x; \
	DPBUSD(0, y, a); \
	DPBUSD(1, y, (a+1))

// func dotsBytes2(quads int, rows *[16]*byte, groups int, panels *byte, stride, count int, c *int32, ldc int)
// Four rows against one panel at a time, as above.
//	R8 to R11 rows   CX elements   SI in the panel   DI groups
//	R12 quads left   BX pointers to rows   R15 sums of the panel   DX from a row's to the next
TEXT ·dotsBytes2(SB), NOSPLIT, $0-64
	MOVQ groups+16(FP), DI
	MOVQ c+48(FP), R15
	MOVQ ldc+56(FP), DX
	SHLQ $2, DX

panel:
	SUBQ $1, count+40(FP)
	JLT  done
	MOVQ quads+0(FP), R12
	MOVQ rows+8(FP), BX
	MOVQ R15, AX

quad:
	MOVQ 0(BX), R8
	MOVQ 8(BX), R9
	MOVQ 16(BX), R10
	MOVQ 24(BX), R11
	MOVQ panels+24(FP), SI
	XORQ CX, CX
	CLEAR4

group:
	VMOVDQU (SI), Y8
	VMOVDQU 32(SI), Y9
	STEPB(R8, Y10, 10, 0)
	STEPB(R9, Y11, 11, 2)
	STEPB(R10, Y12, 12, 4)
	STEPB(R11, Y13, 13, 6)
	ADDQ $64, SI
	INCQ CX
	CMPQ CX, DI
	JLT  group
	PUT4
	ADDQ $32, BX
	DECQ R12
	JNZ  quad
	MOVQ stride+32(FP), AX
	ADDQ AX, panels+24(FP)
	ADDQ $64, R15
	JMP  panel

done:
	VZEROUPPER
	RET
