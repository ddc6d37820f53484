//go:build amd64 && !noasm

#include "textflag.h"

// Codes by AVX-512 with VNNI; see codes.go for what each function computes.

// LOAD16 loads up to 64 bytes of each of 16 rows, at CX, into Z0 to Z15.
#define LOAD(n, z) \
	MOVQ n*8(DI), AX; \
	VMOVDQU32.Z (AX)(CX*1), K1, z; \
	VPXORD Z31, z, z

// QUADS turns dwords of four rows a, b, c, d into quads of one column: lane L
// of p, q, r, s then holds columns 4L, 4L+1, 4L+2, 4L+3 of the four rows. t and
// u are scratch.
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

// STEP adds the products of four elements of row r with three panels.
#define STEP3(r, a, b, c, t) \
	VPBROADCASTD (r)(CX*4), t; \
	VPDPBUSD Z24, t, a; \
	VPDPBUSD Z25, t, b; \
	VPDPBUSD Z26, t, c

#define STEP1(r, a, t) \
	VPBROADCASTD (r)(CX*4), t; \
	VPDPBUSD Z24, t, a

#define ROWS8 \
	MOVQ 0(DI), R8; \
	MOVQ 8(DI), R9; \
	MOVQ 16(DI), R10; \
	MOVQ 24(DI), R11; \
	MOVQ 32(DI), R12; \
	MOVQ 40(DI), R13; \
	MOVQ 48(DI), R14; \
	MOVQ 56(DI), R15

#define PUT3(a, b, c) \
	VMOVDQU32 a, (AX); \
	VMOVDQU32 b, 64(AX); \
	VMOVDQU32 c, 128(AX); \
	ADDQ DX, AX

#define PUT1(a) \
	VMOVDQU32 a, (AX); \
	ADDQ DX, AX

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

	VPXORD Z0, Z0, Z0
	VPXORD Z1, Z1, Z1
	VPXORD Z2, Z2, Z2
	VPXORD Z3, Z3, Z3
	VPXORD Z4, Z4, Z4
	VPXORD Z5, Z5, Z5
	VPXORD Z6, Z6, Z6
	VPXORD Z7, Z7, Z7
	VPXORD Z8, Z8, Z8
	VPXORD Z9, Z9, Z9
	VPXORD Z10, Z10, Z10
	VPXORD Z11, Z11, Z11
	VPXORD Z12, Z12, Z12
	VPXORD Z13, Z13, Z13
	VPXORD Z14, Z14, Z14
	VPXORD Z15, Z15, Z15
	VPXORD Z16, Z16, Z16
	VPXORD Z17, Z17, Z17
	VPXORD Z18, Z18, Z18
	VPXORD Z19, Z19, Z19
	VPXORD Z20, Z20, Z20
	VPXORD Z21, Z21, Z21
	VPXORD Z22, Z22, Z22
	VPXORD Z23, Z23, Z23
	XORQ CX, CX

group3:
	VMOVDQU32 (SI), Z24
	VMOVDQU32 (SI)(BX*1), Z25
	VMOVDQU32 (SI)(BX*2), Z26
	STEP3(R8, Z0, Z1, Z2, Z27)
	STEP3(R9, Z3, Z4, Z5, Z28)
	STEP3(R10, Z6, Z7, Z8, Z29)
	STEP3(R11, Z9, Z10, Z11, Z30)
	STEP3(R12, Z12, Z13, Z14, Z27)
	STEP3(R13, Z15, Z16, Z17, Z28)
	STEP3(R14, Z18, Z19, Z20, Z29)
	STEP3(R15, Z21, Z22, Z23, Z30)
	ADDQ $64, SI
	INCQ CX
	CMPQ CX, DI
	JLT  group3
	MOVQ c+40(FP), AX
	MOVQ ldc+48(FP), DX
	SHLQ $2, DX
	PUT3(Z0, Z1, Z2)
	PUT3(Z3, Z4, Z5)
	PUT3(Z6, Z7, Z8)
	PUT3(Z9, Z10, Z11)
	PUT3(Z12, Z13, Z14)
	PUT3(Z15, Z16, Z17)
	PUT3(Z18, Z19, Z20)
	PUT3(Z21, Z22, Z23)
	ADDQ $192, c+40(FP)
	SUBQ $3, count+32(FP)
	JMP  three

one:
	CMPQ count+32(FP), $1
	JLT  done
	MOVQ panels+16(FP), SI
	ADDQ BX, panels+16(FP)

	VPXORD Z0, Z0, Z0
	VPXORD Z1, Z1, Z1
	VPXORD Z2, Z2, Z2
	VPXORD Z3, Z3, Z3
	VPXORD Z4, Z4, Z4
	VPXORD Z5, Z5, Z5
	VPXORD Z6, Z6, Z6
	VPXORD Z7, Z7, Z7
	XORQ CX, CX

group1:
	VMOVDQU32 (SI), Z24
	STEP1(R8, Z0, Z16)
	STEP1(R9, Z1, Z17)
	STEP1(R10, Z2, Z18)
	STEP1(R11, Z3, Z19)
	STEP1(R12, Z4, Z20)
	STEP1(R13, Z5, Z21)
	STEP1(R14, Z6, Z22)
	STEP1(R15, Z7, Z23)
	ADDQ $64, SI
	INCQ CX
	CMPQ CX, DI
	JLT  group1
	MOVQ c+40(FP), AX
	MOVQ ldc+48(FP), DX
	SHLQ $2, DX
	PUT1(Z0)
	PUT1(Z1)
	PUT1(Z2)
	PUT1(Z3)
	PUT1(Z4)
	PUT1(Z5)
	PUT1(Z6)
	PUT1(Z7)
	ADDQ $64, c+40(FP)
	DECQ count+32(FP)
	JMP  one

done:
	VZEROUPPER
	RET

// func nearerVNNI(rows, n int, c *int32, ldc int, norms, adds, bounds, ids, d, outIDs *uint32, ldo int, counts *uint32)
//	SI c   R8 columns left   DX norms   R9 ids   R10 d   R11 outIDs
//	BX found   CX column   DI rows left   R13 adds   R14 bounds   R15 counts
// It does not branch on what it finds: about every second vector has something.
TEXT ·nearerVNNI(SB), NOSPLIT, $0-96
	MOVQ rows+0(FP), DI
	MOVQ c+16(FP), SI
	MOVQ norms+32(FP), DX
	MOVQ adds+40(FP), R13
	MOVQ bounds+48(FP), R14
	MOVQ ids+56(FP), R9
	MOVQ d+64(FP), R10
	MOVQ outIDs+72(FP), R11
	MOVQ counts+88(FP), R15
	MOVL $0xFFFF, R12

row:
	MOVQ  n+8(FP), R8
	VPBROADCASTD (R13), Z30
	VPBROADCASTD (R14), Z31
	XORQ  BX, BX
	XORQ  CX, CX
	KMOVW R12, K2

loop:
	CMPQ  R8, $16
	JGE   full
	TESTQ R8, R8
	JLE   end
	BZHIL R8, R12, AX
	KMOVW AX, K2

full:
	VMOVDQU32 (SI)(CX*4), Z0
	VPADDD    Z0, Z0, Z0
	VPADDD    (DX)(CX*4), Z30, Z1
	VPSUBD    Z0, Z1, Z1
	VPCMPUD   $2, Z31, Z1, K2, K1
	KMOVW     K1, AX
	VMOVDQU32 (R9)(CX*4), Z2
	VPCOMPRESSD Z1, K1, Z3
	VPCOMPRESSD Z2, K1, Z4
	VMOVDQU32 Z3, (R10)(BX*4)
	VMOVDQU32 Z4, (R11)(BX*4)
	POPCNTL   AX, AX
	ADDQ      AX, BX
	ADDQ $16, CX
	SUBQ $16, R8
	JMP  loop

end:
	MOVL BX, (R15)
	ADDQ $4, R13
	ADDQ $4, R14
	ADDQ $4, R15
	MOVQ ldc+24(FP), AX
	LEAQ (SI)(AX*4), SI
	MOVQ ldo+80(FP), AX
	LEAQ (R10)(AX*4), R10
	LEAQ (R11)(AX*4), R11
	DECQ DI
	JNZ  row
	VZEROUPPER
	RET

// func eitherVNNI(n int, c *int32, norms *uint32, add, bound uint32, bounds, ids, d, outIDs *uint32) int
// It branches on what it finds: in all pairs of many rows there is hardly any.
TEXT ·eitherVNNI(SB), NOSPLIT, $0-72
	MOVQ n+0(FP), R8
	MOVQ c+8(FP), SI
	MOVQ norms+16(FP), DX
	MOVL add+24(FP), AX
	VPBROADCASTD AX, Z30
	MOVL bound+28(FP), AX
	VPBROADCASTD AX, Z31
	MOVQ bounds+32(FP), R13
	MOVQ ids+40(FP), R9
	MOVQ d+48(FP), R10
	MOVQ outIDs+56(FP), R11
	XORQ BX, BX
	XORQ CX, CX
	MOVL $0xFFFF, R12
	KMOVW R12, K2

loop:
	CMPQ  R8, $16
	JGE   full
	TESTQ R8, R8
	JLE   done
	BZHIL R8, R12, R12
	KMOVW R12, K2

full:
	VMOVDQU32 (SI)(CX*4), Z0
	VPADDD    Z0, Z0, Z0
	VPADDD    (DX)(CX*4), Z30, Z1
	VPSUBD    Z0, Z1, Z1
	VPMAXUD   (R13)(CX*4), Z31, Z2
	VPCMPUD   $2, Z2, Z1, K2, K1
	KORTESTW  K1, K1
	JZ        next
	KMOVW     K1, AX
	VMOVDQU32 (R9)(CX*4), Z2
	VPCOMPRESSD Z1, K1, Z3
	VPCOMPRESSD Z2, K1, Z4
	VMOVDQU32 Z3, (R10)(BX*4)
	VMOVDQU32 Z4, (R11)(BX*4)
	POPCNTL   AX, AX
	ADDQ      AX, BX

next:
	ADDQ $16, CX
	SUBQ $16, R8
	JMP  loop

done:
	MOVQ BX, ret+64(FP)
	VZEROUPPER
	RET

// func unlistedVNNI(list *uint32, k int, d, ids *uint32, n int, self uint32) int
// A list of at most 32 stays in Z1 and Z2; of a longer one the rest is read again
// for every candidate.
//	SI list   R8 k   R9 d   R10 ids   R11 n   R12 self   BX kept   CX candidate
TEXT ·unlistedVNNI(SB), NOSPLIT, $0-56
	MOVQ list+0(FP), SI
	MOVQ k+8(FP), R8
	MOVQ d+16(FP), R9
	MOVQ ids+24(FP), R10
	MOVQ n+32(FP), R11
	MOVL self+40(FP), R12
	XORQ BX, BX
	XORQ CX, CX
	VPTERNLOGD $0xFF, Z1, Z1, Z1
	VMOVDQA64 Z1, Z2
	VMOVDQA64 Z1, Z3
	MOVQ R8, AX
	MOVQ $32, DX
	CMPQ AX, DX
	CMOVQGT DX, AX
	MOVQ $-1, DX
	BZHIQ AX, DX, DX
	KMOVW DX, K1
	SHRQ  $16, DX
	KMOVW DX, K2
	VMOVDQU32 (SI), K1, Z1
	VMOVDQU32 64(SI), K2, Z2
	VPSRLD $1, Z1, Z1
	VPSRLD $1, Z2, Z2

candidate:
	MOVL (R10)(CX*4), AX
	MOVL (R9)(CX*4), DI
	VPBROADCASTD AX, Z0
	VPCMPEQD Z1, Z0, K3
	VPCMPEQD Z2, Z0, K4
	KORW  K3, K4, K3
	MOVQ  $32, R13

more:
	MOVQ R8, DX
	SUBQ R13, DX
	JLE  looked
	MOVQ $-1, R14
	CMPQ DX, $16
	JGE  whole
	BZHIQ DX, R14, R14

whole:
	KMOVW R14, K1
	VMOVDQA64 Z3, Z4
	VMOVDQU32 (SI)(R13*4), K1, Z4
	VPSRLD $1, Z4, Z4
	VPCMPEQD Z4, Z0, K4
	KORW  K3, K4, K3
	ADDQ  $16, R13
	JMP   more

looked:
	MOVL  DI, (R9)(BX*4)
	MOVL  AX, (R10)(BX*4)
	XORL  DX, DX
	XORL  R13, R13
	CMPL  AX, R12
	SETNE DX
	KORTESTW K3, K3
	SETEQ R13
	ANDL  R13, DX
	ADDQ  DX, BX
	INCQ  CX
	CMPQ  CX, R11
	JLT   candidate
	MOVQ  BX, ret+48(FP)
	VZEROUPPER
	RET

// func boundVNNI(c *int32, n int, norms *uint32, add uint32, k int) uint32
// The smallest distances of 32 classes of columns, then the k-th of these: the
// largest one that fewer than k are below.
TEXT ·boundVNNI(SB), NOSPLIT, $128-44
	MOVQ c+0(FP), SI
	MOVQ n+8(FP), R8
	MOVQ norms+16(FP), DX
	MOVL add+24(FP), AX
	VPBROADCASTD AX, Z30
	VPTERNLOGD $0xFF, Z4, Z4, Z4
	VMOVDQA64 Z4, Z5
	XORQ CX, CX
	MOVL $0xFFFF, R12
	KMOVW R12, K2

loop:
	CMPQ R8, $16
	JGE  full
	TESTQ R8, R8
	JLE  minima
	BZHIL R8, R12, R12
	KMOVW R12, K2

full:
	VMOVDQU32 (SI)(CX*4), Z0
	VPADDD Z0, Z0, Z0
	VPADDD (DX)(CX*4), Z30, Z1
	VPSUBD Z0, Z1, Z1
	VPMINUD Z1, Z4, K2, Z4
	// The two halves take turns.
	VMOVDQA64 Z4, Z6
	VMOVDQA64 Z5, Z4
	VMOVDQA64 Z6, Z5
	ADDQ $16, CX
	SUBQ $16, R8
	JMP  loop

minima:
	MOVQ k+32(FP), R8
	CMPQ R8, $1
	JEQ  smallest
	VMOVDQU32 Z4, minima-128(SP)
	VMOVDQU32 Z5, minima-64(SP)
	XORQ BX, BX
	XORQ CX, CX

rank:
	MOVL minima-128(SP)(CX*4), R9
	VPBROADCASTD R9, Z0
	VPCMPUD $1, Z0, Z4, K1
	VPCMPUD $1, Z0, Z5, K2
	KUNPCKWD K1, K2, K1
	KMOVD K1, R10
	POPCNTL R10, R10
	XORL R11, R11
	CMPQ R10, R8
	CMOVLLT R9, R11
	CMPL R11, BX
	CMOVLHI R11, BX
	INCQ CX
	CMPQ CX, $32
	JLT  rank
	MOVL BX, ret+40(FP)
	VZEROUPPER
	RET

smallest:
	VPMINUD Z5, Z4, Z4
	VEXTRACTI64X4 $1, Z4, Y5
	VPMINUD Y5, Y4, Y4
	VEXTRACTI128 $1, Y4, X5
	VPMINUD X5, X4, X4
	VPSHUFD $0x4E, X4, X5
	VPMINUD X5, X4, X4
	VPSHUFD $0xB1, X4, X5
	VPMINUD X5, X4, X4
	VMOVD X4, AX
	MOVL AX, ret+40(FP)
	VZEROUPPER
	RET

DATA one<>+0(SB)/8, $1
GLOBL one<>(SB), RODATA|NOPTR, $8

// SAME collects in K1 whether a list holds e, in Z0, old or new.
#define SAME(v) \
	VPORQ    v, Z31, Z9; \
	VPCMPEQQ Z9, Z0, K2; \
	KORW     K2, K1, K1

// PUSH inserts Z0 into the sorted chunk v, of which p is the chunk before it:
// every entry becomes min(itself, max(the one before it, e)).
#define PUSH(p, v) \
	VALIGNQ $7, p, v, Z9; \
	VPMAXUQ Z0, Z9, Z9; \
	VPMINUQ Z9, v, v

// ENTRY makes in BX the entry of the next candidate, the largest number if it is
// the row itself.
//	R9 d   R10 ids   R12 self   R14 the largest number
#define ENTRY \
	MOVL    (R10), AX; \
	MOVL    (R9), BX; \
	ADDQ    $4, R9; \
	ADDQ    $4, R10; \
	SHLQ    $32, BX; \
	LEAQ    1(BX)(AX*2), BX; \
	CMPL    AX, R12; \
	CMOVQEQ R14, BX

DATA numbers<>+0(SB)/8, $0x0000000100000000
DATA numbers<>+8(SB)/8, $0x0000000300000002
DATA numbers<>+16(SB)/8, $0x0000000500000004
DATA numbers<>+24(SB)/8, $0x0000000700000006
DATA numbers<>+32(SB)/8, $0x0000000900000008
DATA numbers<>+40(SB)/8, $0x0000000b0000000a
DATA numbers<>+48(SB)/8, $0x0000000d0000000c
DATA numbers<>+56(SB)/8, $0x0000000f0000000e
GLOBL numbers<>(SB), RODATA|NOPTR, $64

// LEAST leaves in every lane of z the smallest of its lanes. t is scratch.
#define LEAST(z, t) \
	VSHUFI32X4 $0x4E, z, z, t; \
	VPMINUD    t, z, z; \
	VSHUFI32X4 $0xB1, z, z, t; \
	VPMINUD    t, z, z; \
	VPSHUFD    $0x4E, z, t; \
	VPMINUD    t, z, z; \
	VPSHUFD    $0xB1, z, t; \
	VPMINUD    t, z, z

// func firstVNNI(rows, n int, c *int32, ldc int, norms, adds, out *uint32)
// Every lane keeps its smallest distance and whose it is, in Z2 and Z3.
//	SI c   R8 columns left   DX norms   R13 adds   R15 out   DI rows left   CX column
TEXT ·firstVNNI(SB), NOSPLIT, $0-56
	MOVQ rows+0(FP), DI
	MOVQ c+16(FP), SI
	MOVQ ldc+24(FP), R9
	MOVQ norms+32(FP), DX
	MOVQ adds+40(FP), R13
	MOVQ out+48(FP), R15
	MOVL $0xFFFF, R12
	MOVL $16, AX
	VPBROADCASTD AX, Z29
	VMOVDQU32 numbers<>(SB), Z28
	VPTERNLOGD $0xFF, Z27, Z27, Z27

row:
	MOVQ  n+8(FP), R8
	VPBROADCASTD (R13), Z30
	VMOVDQA32 Z27, Z2
	VPXORD Z3, Z3, Z3
	VMOVDQA32 Z28, Z4
	XORQ  CX, CX
	KMOVW R12, K2

loop:
	CMPQ  R8, $16
	JGE   full
	TESTQ R8, R8
	JLE   end
	BZHIL R8, R12, AX
	KMOVW AX, K2

full:
	VMOVDQU32 (SI)(CX*4), Z0
	VPADDD    Z0, Z0, Z0
	VPADDD    (DX)(CX*4), Z30, Z1
	VPSUBD    Z0, Z1, Z1
	VPCMPUD   $1, Z2, Z1, K2, K1
	VMOVDQA32 Z1, K1, Z2
	VMOVDQA32 Z4, K1, Z3
	VPADDD    Z29, Z4, Z4
	ADDQ $16, CX
	SUBQ $16, R8
	JMP  loop

end:
	VMOVDQA32 Z2, Z5
	LEAST(Z5, Z6)
	VPCMPEQD  Z5, Z2, K1
	VMOVDQA32 Z27, Z7
	VMOVDQA32 Z3, K1, Z7
	LEAST(Z7, Z6)
	VMOVD X7, (R15)
	ADDQ $4, R13
	ADDQ $4, R15
	LEAQ (SI)(R9*4), SI
	DECQ DI
	JNZ  row
	VZEROUPPER
	RET

// func mergeShort(list *uint64, k int, d, ids *uint32, n int, self uint32)
// A list of at most 32 stays in Z1 to Z4. Candidates differ from each other, so
// it is enough to look for them in the list as it was: Z5 to Z8. Nothing
// branches on data: a candidate that is known becomes the largest number, which
// changes nothing.
TEXT ·mergeShort(SB), NOSPLIT, $0-44
	MOVQ list+0(FP), SI
	MOVQ k+8(FP), R8
	MOVQ d+16(FP), R9
	MOVQ ids+24(FP), R10
	MOVQ n+32(FP), R11
	MOVL self+40(FP), R12
	MOVQ $-1, R14
	VPBROADCASTQ one<>(SB), Z31
	VPTERNLOGQ $0xFF, Z1, Z1, Z1
	VMOVDQA64 Z1, Z2
	VMOVDQA64 Z1, Z3
	VMOVDQA64 Z1, Z4
	VPXORQ Z10, Z10, Z10

	// K3 to K6: the lanes of the list.
	MOVL  $1, AX
	SHLXQ R8, AX, AX
	DECQ  AX
	KMOVW AX, K3
	SHRQ  $8, AX
	KMOVW AX, K4
	SHRQ  $8, AX
	KMOVW AX, K5
	SHRQ  $8, AX
	KMOVW AX, K6
	VMOVDQU64 (SI), K3, Z1
	VMOVDQU64 64(SI), K4, Z2
	VMOVDQU64 128(SI), K5, Z3
	VMOVDQU64 192(SI), K6, Z4
	VMOVDQA64 Z1, Z5
	VMOVDQA64 Z2, Z6
	VMOVDQA64 Z3, Z7
	VMOVDQA64 Z4, Z8

candidate:
	ENTRY
	VPBROADCASTQ BX, Z0
	KXORW K1, K1, K1
	SAME(Z5)
	SAME(Z6)
	SAME(Z7)
	SAME(Z8)
	KORTESTW K1, K1
	CMOVQNE R14, BX
	VPBROADCASTQ BX, Z0
	PUSH(Z3, Z4)
	PUSH(Z2, Z3)
	PUSH(Z1, Z2)
	PUSH(Z10, Z1)
	DECQ R11
	JNZ  candidate
	VMOVDQU64 Z1, K3, (SI)
	VMOVDQU64 Z2, K4, 64(SI)
	VMOVDQU64 Z3, K5, 128(SI)
	VMOVDQU64 Z4, K6, 192(SI)
	VZEROUPPER
	RET

// func mergeLong(list *uint64, k int, d, ids *uint32, n int, self uint32)
// The same for lists of any length, in memory, eight entries at a time from the
// end; DX holds the whole chunks and K3 the lanes of the rest after them.
TEXT ·mergeLong(SB), NOSPLIT, $0-44
	MOVQ list+0(FP), SI
	MOVQ k+8(FP), R8
	MOVQ d+16(FP), R9
	MOVQ ids+24(FP), R10
	MOVQ n+32(FP), R11
	MOVL self+40(FP), R12
	MOVQ $-1, R14
	VPBROADCASTQ one<>(SB), Z31
	VPTERNLOGQ $0xFF, Z11, Z11, Z11
	VPXORQ Z10, Z10, Z10
	MOVQ R8, DX
	SHRQ $3, DX
	SHLQ $6, DX
	MOVQ R8, CX
	ANDQ $7, CX
	MOVL $1, AX
	SHLXQ CX, AX, AX
	DECQ AX
	KMOVW AX, K3

candidate:
	ENTRY
	CMPQ BX, -8(SI)(R8*8)
	JCC  next
	VPBROADCASTQ BX, Z0
	KXORW K1, K1, K1
	VMOVDQA64 Z11, Z1
	VMOVDQU64 (SI)(DX*1), K3, Z1
	SAME(Z1)
	XORQ CX, CX

same:
	CMPQ CX, DX
	JEQ  known
	VMOVDQU64 (SI)(CX*1), Z1
	SAME(Z1)
	ADDQ $64, CX
	JMP  same

known:
	KORTESTW K1, K1
	JNZ next

	// The rest after the whole chunks; the entry before it is there, as k > 8.
	VMOVDQU64 (SI)(DX*1), K3, Z1
	VMOVDQU64 -8(SI)(DX*1), Z9
	VPMAXUQ Z0, Z9, Z9
	VPMINUQ Z9, Z1, Z1
	VMOVDQU64 Z1, K3, (SI)(DX*1)
	MOVQ DX, CX

push:
	SUBQ $64, CX
	JEQ  first
	VMOVDQU64 (SI)(CX*1), Z1
	VMOVDQU64 -8(SI)(CX*1), Z9
	VPMAXUQ Z0, Z9, Z9
	VPMINUQ Z9, Z1, Z1
	VMOVDQU64 Z1, (SI)(CX*1)
	JMP push

first:
	VMOVDQU64 (SI), Z1
	PUSH(Z10, Z1)
	VMOVDQU64 Z1, (SI)

next:
	DECQ R11
	JNZ  candidate
	VZEROUPPER
	RET

// func prefetchRows(base *byte, stride int, ids *uint32, n, bytes int)
TEXT ·prefetchRows(SB), NOSPLIT, $0-40
	MOVQ base+0(FP), SI
	MOVQ stride+8(FP), R8
	MOVQ ids+16(FP), R9
	MOVQ n+24(FP), R10
	MOVQ bytes+32(FP), R11

row:
	MOVL  (R9), DI
	ADDQ  $4, R9
	IMULQ R8, DI
	ADDQ  SI, DI
	MOVQ  R11, CX

line:
	PREFETCHT0 (DI)
	ADDQ $64, DI
	SUBQ $64, CX
	JGT  line
	DECQ R10
	JNZ  row
	RET
