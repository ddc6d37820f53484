//go:build amd64 && !noasm

#include "textflag.h"

// Tiles of codes by AMX; see codes.go for what Dots computes. Its instructions are given
// byte by byte, as VEX encodes them (Intel's manual, volume 2), because Go's assembler
// does not know them. A tile register holds 16 lines of 64 bytes; what it is loaded from
// is a base register and the distance of lines in another.

// TILEPANEL loads tile t with a chunk of a panel, lines CX apart, from the base register
// that the two bytes of at name.
#define TILEPANEL(t, at) BYTE $0xC4; BYTE $(at>>8); BYTE $0x7B; BYTE $0x4B; BYTE $(4+8*t); BYTE $(at&0xFF)

#define AT_DX 0xE20A
#define AT_DI 0xE20F
#define AT_R11 0xC20B

// TILEROWS loads tile t with a chunk of the rows at SI, lines BX apart.
#define TILEROWS(t) BYTE $0xC4; BYTE $0xE2; BYTE $0x7B; BYTE $0x4B; BYTE $(4+8*t); BYTE $0x1E

// TILESUMS stores tile t at AX, lines R9 apart.
#define TILESUMS(t) BYTE $0xC4; BYTE $0xA2; BYTE $0x7A; BYTE $0x4B; BYTE $(4+8*t); BYTE $0x08

// TILEZERO clears tile t.
#define TILEZERO(t) BYTE $0xC4; BYTE $0xE2; BYTE $0x7B; BYTE $0x49; BYTE $(0xC0+8*t)

// TDPBUSD adds to tile t the products of tiles a, of unsigned bytes, and b, of signed.
#define TDPBUSD(t, a, b) BYTE $0xC4; BYTE $0xE2; BYTE $(1+8*(15-b)); BYTE $0x5E; BYTE $(0xC0+8*t+a)

// LDTILECFG shapes all tiles by what AX points to; TILERELEASE ends their use.
#define LDTILECFG BYTE $0xC4; BYTE $0xE2; BYTE $0x78; BYTE $0x49; BYTE $0x00
#define TILERELEASE BYTE $0xC4; BYTE $0xE2; BYTE $0x78; BYTE $0x49; BYTE $0xC0

// shapes<> is a palette of eight tiles of 16 lines of 64 bytes.
DATA shapes<>+0(SB)/8, $1
DATA shapes<>+8(SB)/8, $0
DATA shapes<>+16(SB)/8, $0x0040004000400040
DATA shapes<>+24(SB)/8, $0x0040004000400040
DATA shapes<>+32(SB)/8, $0
DATA shapes<>+40(SB)/8, $0
DATA shapes<>+48(SB)/8, $0x1010101010101010
DATA shapes<>+56(SB)/8, $0
GLOBL shapes<>(SB), RODATA|NOPTR, $64

// STEP adds to tile t what the rows' chunk in tile 6 makes with a panel's.
#define STEP(t, at, p) \
	TILEPANEL(7, at); \
	TDPBUSD(t, 6, 7); \
	ADDQ $1024, p

#define PUT(t) \
	TILESUMS(t); \
	ADDQ $64, AX

// COPYROWS copies 16 rows of DX groups, which DI points to, to SI, BX from one to the next, with
// zeros at the end of the last chunk.
#define COPYROWS \
	DECQ  DX; \
	ANDQ  $15, DX; \
	INCQ  DX; \
	MOVL  $0xFFFF, AX; \
	BZHIL DX, AX, AX; \
	KMOVW AX, K1; \
	LEAQ  -64(BX), R10; \
	MOVQ  $16, R8; \
row: \
	MOVQ (DI), R9; \
	ADDQ $8, DI; \
	XORQ CX, CX; \
chunk: \
	CMPQ CX, R10; \
	JGE  last; \
	VMOVDQU32 (R9)(CX*1), Z0; \
	VMOVDQA32 Z0, (SI)(CX*1); \
	ADDQ $64, CX; \
	JMP  chunk; \
last: \
	VMOVDQU32.Z (R9)(CX*1), K1, Z0; \
	VMOVDQA32 Z0, (SI)(CX*1); \
	ADDQ BX, SI; \
	DECQ R8; \
	JNZ  row

// NEAR makes sums of a row, in tile p, distances, writes them and marks those that count. norm and
// either are of the panel's columns, the row's add is at CX and its bound at DI.
//	R11 sums   AX distances   SI marks
#define NEAR(p, norm, either) \
	VPADDD.BCST  (CX), norm, Z0; \
	VPMAXUD.BCST (DI), either, Z1; \
	VPSUBD       (1024*p)(R11), Z0, Z0; \
	VPSUBD       (1024*p)(R11), Z0, Z0; \
	VPCMPUD      $2, Z1, Z0, K1; \
	VMOVDQU32    Z0, (64*p)(AX); \
	KMOVW        K1, (2*p)(SI)

// NEARROWS begins with the first of 16 rows, NEXTROW goes on to the next, the R13 left.
#define NEARROWS \
	MOVQ d+40(FP), AX; \
	MOVQ ldd+48(FP), DX; \
	SHLQ $2, DX; \
	MOVQ marks+88(FP), SI; \
	MOVQ ldm+96(FP), BX; \
	SHLQ $3, BX; \
	MOVQ adds+64(FP), CX; \
	MOVQ bounds+72(FP), DI; \
	MOVQ R12, R11; \
	MOVQ $16, R13

#define NEXTROW \
	ADDQ $64, R11; \
	ADDQ DX, AX; \
	ADDQ BX, SI; \
	ADDQ $4, CX; \
	ADDQ $4, DI; \
	DECQ R13

// PASS goes on to the columns after so many panels.
#define PASS(n) \
	ADDQ $(64*n), d+40(FP); \
	ADDQ $(64*n), norms+56(FP); \
	ADDQ $(64*n), either+80(FP); \
	ADDQ $(2*n), marks+88(FP)

// func dotsAMX(rows *[16]*byte, groups int, panels *byte, stride, count int, c *int32, ldc int, room *byte)
//	SI rows, copied to room   BX from one of them to the next   R10 their end
//	CX 64   R9 from one line of sums to the next   AX sums   R8 panels left
// 16 rows against three panels at a time, then what is left one by one: products of one
// tile wait for each other. More panels would load the rows less often, and take more
// tiles: with another thread on the core there are few registers to rename those to that
// are in use, and a load waits until the products before it are done. Measured then: 37 ns
// a product of tiles with six panels, 26 with five, 20 with four, 17 with three; two by two,
// which loads least, 34. With the core to itself 7.4, each of them.
TEXT ·dotsAMX(SB), NOSPLIT, $0-64
	MOVQ rows+0(FP), DI
	MOVQ groups+8(FP), DX
	MOVQ stride+24(FP), BX // a panel has 16 lines of a chunk where the rows have one
	SHRQ $4, BX
	MOVQ room+56(FP), SI

	COPYROWS
	VZEROUPPER

	LEAQ shapes<>(SB), AX
	LDTILECFG
	MOVQ $64, CX
	MOVQ ldc+48(FP), R9
	SHLQ $2, R9
	MOVQ count+32(FP), R8

three:
	CMPQ R8, $3
	JLT  one
	MOVQ panels+16(FP), DX
	MOVQ stride+24(FP), AX
	LEAQ (DX)(AX*1), DI
	LEAQ (DI)(AX*1), R11
	LEAQ (R11)(AX*1), AX
	MOVQ AX, panels+16(FP)
	MOVQ room+56(FP), SI
	LEAQ (SI)(BX*1), R10
	TILEZERO(0)
	TILEZERO(1)
	TILEZERO(2)

chunk3:
	TILEROWS(6)
	STEP(0, AT_DX, DX)
	STEP(1, AT_DI, DI)
	STEP(2, AT_R11, R11)
	ADDQ $64, SI
	CMPQ SI, R10
	JLT  chunk3
	MOVQ c+40(FP), AX
	PUT(0)
	PUT(1)
	PUT(2)
	MOVQ AX, c+40(FP)
	SUBQ $3, R8
	JMP  three

one:
	TESTQ R8, R8
	JLE  done
	MOVQ panels+16(FP), DX
	MOVQ room+56(FP), SI
	LEAQ (SI)(BX*1), R10
	TILEZERO(0)

chunk1:
	TILEROWS(6)
	STEP(0, AT_DX, DX)
	ADDQ $64, SI
	CMPQ SI, R10
	JLT  chunk1
	MOVQ DX, panels+16(FP)
	MOVQ c+40(FP), AX
	PUT(0)
	MOVQ AX, c+40(FP)
	DECQ R8
	JMP  one

done:
	TILERELEASE
	RET

// func pairsAMX(rows *[16]*byte, groups int, panels *byte, stride, count int, d *uint32, ldd int, norms, adds, bounds, either *uint32, marks *uint64, ldm int, room *byte)
// dotsAMX, with the sums of three panels going to room behind the rows, at R12, where they become
// distances while the next three are multiplied.
//	R9 from one line of sums to the next; 0 as long as there are none
TEXT ·pairsAMX(SB), NOSPLIT, $0-112
	MOVQ rows+0(FP), DI
	MOVQ groups+8(FP), DX
	MOVQ stride+24(FP), R12
	MOVQ R12, BX
	SHRQ $4, BX
	MOVQ room+104(FP), SI
	ADDQ SI, R12
	COPYROWS
	LEAQ shapes<>(SB), AX
	LDTILECFG
	XORQ R9, R9

three:
	CMPQ count+32(FP), $3
	JLT  marks
	MOVQ panels+16(FP), DX
	MOVQ stride+24(FP), BX
	LEAQ (DX)(BX*1), DI
	LEAQ (DI)(BX*1), R11
	LEAQ (R11)(BX*1), AX
	MOVQ AX, panels+16(FP)
	SHRQ $4, BX
	MOVQ $64, CX
	MOVQ room+104(FP), SI
	LEAQ (SI)(BX*1), R10
	TILEZERO(0)
	TILEZERO(1)
	TILEZERO(2)

chunk3:
	TILEROWS(6)
	STEP(0, AT_DX, DX)
	STEP(1, AT_DI, DI)
	STEP(2, AT_R11, R11)
	ADDQ $64, SI
	CMPQ SI, R10
	JLT  chunk3

marks:
	TESTQ R9, R9
	JZ    marked
	MOVQ  norms+56(FP), AX
	VMOVDQU32 (AX), Z24
	VMOVDQU32 64(AX), Z25
	VMOVDQU32 128(AX), Z26
	MOVQ  either+80(FP), AX
	VMOVDQU32 (AX), Z27
	VMOVDQU32 64(AX), Z28
	VMOVDQU32 128(AX), Z29
	NEARROWS

marks3:
	NEAR(0, Z24, Z27)
	NEAR(1, Z25, Z28)
	NEAR(2, Z26, Z29)
	NEXTROW
	JNZ  marks3
	PASS(3)

marked:
	CMPQ count+32(FP), $3
	JLT  one
	MOVQ $64, R9
	MOVQ R12, AX
	TILESUMS(0)
	ADDQ $1024, AX
	TILESUMS(1)
	ADDQ $1024, AX
	TILESUMS(2)
	SUBQ $3, count+32(FP)
	JMP  three

one:
	CMPQ count+32(FP), $0
	JLE  done
	MOVQ panels+16(FP), DX
	MOVQ stride+24(FP), BX
	SHRQ $4, BX
	MOVQ $64, CX
	MOVQ CX, R9
	MOVQ room+104(FP), SI
	LEAQ (SI)(BX*1), R10
	TILEZERO(0)

chunk1:
	TILEROWS(6)
	STEP(0, AT_DX, DX)
	ADDQ $64, SI
	CMPQ SI, R10
	JLT  chunk1
	MOVQ DX, panels+16(FP)
	MOVQ R12, AX
	TILESUMS(0)
	MOVQ norms+56(FP), AX
	VMOVDQU32 (AX), Z24
	MOVQ either+80(FP), AX
	VMOVDQU32 (AX), Z27
	NEARROWS

marks1:
	NEAR(0, Z24, Z27)
	NEXTROW
	JNZ  marks1
	PASS(1)
	DECQ count+32(FP)
	JMP  one

done:
	TILERELEASE
	VZEROUPPER
	RET
