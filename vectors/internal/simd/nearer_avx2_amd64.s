//go:build amd64 && !noasm

#include "textflag.h"
#include "numbers_amd64.h"
#include "lanes_amd64.h"

// What is near among a row's sums, by AVX2; see codes.go for what each function
// computes.

// DISTANCES sets y to the squared distances of eight columns from i on, of which SI has
// the sums and DX the norms; Y14 is add. t is scratch.
#define DISTANCES(i, y, t) \
	VMOVDQU (SI)(i*4), t; \
	VPADDD  t, t, t; \
	VPADDD  (DX)(i*4), Y14, y; \
	VPSUBD  t, y, y

// KEEP appends those of the distances in y whose bits are set in AX, with their ids from
// i on in R9, to the BX there are at R10 and R11. R12 is fronts.
#define KEEP(i, y) \
	VPMOVZXBD (R12)(AX*8), Y8; \
	VPERMD    y, Y8, Y9; \
	VPERMD    (R9)(i*4), Y8, Y8; \
	VMOVDQU   Y9, (R10)(BX*4); \
	VMOVDQU   Y8, (R11)(BX*4); \
	POPCNTL   AX, AX; \
	ADDQ      AX, BX

// func nearer2(rows, n int, c *int32, ldc int, norms, adds, bounds, ids, d, outIDs *uint32, ldo int, counts *uint32)
//	SI c   R8 columns left   DX norms   R9 ids   R10 d   R11 outIDs
//	BX found   CX column   DI rows left   R13 adds   R14 bounds   R15 counts
// It does not branch on what it finds.
TEXT ·nearer2(SB), NOSPLIT, $0-96
	MOVQ rows+0(FP), DI
	MOVQ c+16(FP), SI
	MOVQ norms+32(FP), DX
	MOVQ adds+40(FP), R13
	MOVQ bounds+48(FP), R14
	MOVQ ids+56(FP), R9
	MOVQ d+64(FP), R10
	MOVQ outIDs+72(FP), R11
	MOVQ counts+88(FP), R15
	LEAQ ·fronts(SB), R12

row:
	MOVQ  n+8(FP), R8
	VPBROADCASTD (R13), Y14
	VPBROADCASTD (R14), Y15
	XORQ  BX, BX
	XORQ  CX, CX
	TESTQ R8, R8
	JLE   end

loop:
	DISTANCES(CX, Y1, Y0)
	VPMINUD   Y15, Y1, Y2
	VPCMPEQD  Y1, Y2, Y2
	VMOVMSKPS Y2, AX
	CMPQ      R8, $8
	JGE       full
	BZHIL     R8, AX, AX

full:
	KEEP(CX, Y1)
	ADDQ $8, CX
	SUBQ $8, R8
	JG   loop

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

// EITHER sets z where the distances in y are within the bound of the row, Y15, or that
// of the column.
#define EITHER(i, y, z) \
	VPMAXUD  (R13)(i*4), Y15, z; \
	VPMINUD  z, y, z; \
	VPCMPEQD y, z, z

// func either2(n int, c *int32, norms *uint32, add, bound uint32, bounds, ids, d, outIDs *uint32) int
// It branches on what it finds: in all pairs of many rows there is hardly any. 16 columns
// at a time, then what is left eight by eight.
TEXT ·either2(SB), NOSPLIT, $0-72
	MOVQ n+0(FP), R8
	MOVQ c+8(FP), SI
	MOVQ norms+16(FP), DX
	MOVL add+24(FP), AX
	VMOVD AX, X14
	VPBROADCASTD X14, Y14
	MOVL bound+28(FP), AX
	VMOVD AX, X15
	VPBROADCASTD X15, Y15
	MOVQ bounds+32(FP), R13
	MOVQ ids+40(FP), R9
	MOVQ d+48(FP), R10
	MOVQ outIDs+56(FP), R11
	LEAQ ·fronts(SB), R12
	XORQ BX, BX
	XORQ CX, CX
	SUBQ $16, R8
	JLT  rest

sixteen:
	LEAQ 8(CX), DI
	DISTANCES(CX, Y1, Y0)
	DISTANCES(DI, Y2, Y3)
	EITHER(CX, Y1, Y4)
	EITHER(DI, Y2, Y5)
	VPOR      Y4, Y5, Y6
	VPTEST    Y6, Y6
	JZ        next
	VMOVMSKPS Y4, AX
	KEEP(CX, Y1)
	VMOVMSKPS Y5, AX
	KEEP(DI, Y2)

next:
	ADDQ $16, CX
	SUBQ $16, R8
	JGE  sixteen

rest:
	ADDQ $16, R8
	JLE  done

eight:
	DISTANCES(CX, Y1, Y0)
	EITHER(CX, Y1, Y4)
	VMOVMSKPS Y4, AX
	CMPQ      R8, $8
	JGE       full
	BZHIL     R8, AX, AX

full:
	KEEP(CX, Y1)
	ADDQ $8, CX
	SUBQ $8, R8
	JG   eight

done:
	MOVQ BX, ret+64(FP)
	VZEROUPPER
	RET

// LEFT sets the lanes of y from R8 on, where that is less than eight.
#define LEFT(y) \
	MOVQ    $8, AX; \
	CMPQ    R8, AX; \
	CMOVQLT R8, AX; \
	NEGQ    AX; \
	VPOR    64(R9)(AX*4), y, y

// LEAST leaves in every lane of y the smallest of its lanes. t is scratch.
#define LEAST(y, t) \
	VPERM2I128 $1, y, y, t; \
	VPMINUD    t, y, y; \
	VPSHUFD    $0x4E, y, t; \
	VPMINUD    t, y, y; \
	VPSHUFD    $0xB1, y, t; \
	VPMINUD    t, y, y

#define MINIMUM(y) \
	DISTANCES(CX, Y1, Y0); \
	VPMINUD Y1, y, y; \
	ADDQ    $8, CX

#define LASTMINIMUM(y) \
	DISTANCES(CX, Y1, Y0); \
	LEFT(Y1); \
	VPMINUD Y1, y, y; \
	ADDQ    $8, CX; \
	SUBQ    $8, R8; \
	JLE     minima

// BELOW counts, for the lanes of v, whether the number in Y0 is below them.
#define BELOW(v, count) \
	VPCMPGTD Y0, v, Y1; \
	VPSUBD   Y1, count, count

// FEWER leaves of v what fewer than k numbers are below: Y0 is k, count how many are.
#define FEWER(v, count) \
	VPCMPGTD  count, Y0, Y1; \
	VPBLENDVB Y1, v, Y15, v

// func bound2(c *int32, n int, norms *uint32, add uint32, k int) uint32
// The smallest distances of 32 classes of columns, then the k-th of these: the
// largest one that fewer than k are below. They are compared as signed numbers, with the
// highest bit the other way.
TEXT ·bound2(SB), NOSPLIT, $128-44
	MOVQ c+0(FP), SI
	MOVQ n+8(FP), R8
	MOVQ norms+16(FP), DX
	MOVL add+24(FP), AX
	VMOVD AX, X14
	VPBROADCASTD X14, Y14
	LEAQ lanes<>(SB), R9
	VPCMPEQD Y4, Y4, Y4
	VPSLLD   $31, Y4, Y15
	VMOVDQA  Y4, Y5
	VMOVDQA  Y4, Y6
	VMOVDQA  Y4, Y7
	XORQ CX, CX
	SUBQ $32, R8
	JLT  rest

columns:
	MINIMUM(Y4)
	MINIMUM(Y5)
	MINIMUM(Y6)
	MINIMUM(Y7)
	SUBQ $32, R8
	JGE  columns

rest:
	ADDQ $32, R8
	JLE  minima
	LASTMINIMUM(Y4)
	LASTMINIMUM(Y5)
	LASTMINIMUM(Y6)
	LASTMINIMUM(Y7)

minima:
	VPXOR   Y15, Y4, Y4
	VPXOR   Y15, Y5, Y5
	VPXOR   Y15, Y6, Y6
	VPXOR   Y15, Y7, Y7
	VMOVDQU Y4, minima-128(SP)
	VMOVDQU Y5, minima-96(SP)
	VMOVDQU Y6, minima-64(SP)
	VMOVDQU Y7, minima-32(SP)
	VPXOR   Y8, Y8, Y8
	VPXOR   Y9, Y9, Y9
	VPXOR   Y10, Y10, Y10
	VPXOR   Y11, Y11, Y11
	XORQ CX, CX

rank:
	VPBROADCASTD minima-128(SP)(CX*4), Y0
	BELOW(Y4, Y8)
	BELOW(Y5, Y9)
	BELOW(Y6, Y10)
	BELOW(Y7, Y11)
	INCQ CX
	CMPQ CX, $32
	JLT  rank
	VPBROADCASTD k+32(FP), Y0
	FEWER(Y4, Y8)
	FEWER(Y5, Y9)
	FEWER(Y6, Y10)
	FEWER(Y7, Y11)
	VPMAXSD Y5, Y4, Y4
	VPMAXSD Y7, Y6, Y6
	VPMAXSD Y6, Y4, Y4
	VEXTRACTI128 $1, Y4, X5
	VPMAXSD X5, X4, X4
	VPSHUFD $0x4E, X4, X5
	VPMAXSD X5, X4, X4
	VPSHUFD $0xB1, X4, X5
	VPMAXSD X5, X4, X4
	VPXOR   X15, X4, X4
	VMOVD   X4, AX
	MOVL    AX, ret+40(FP)
	VZEROUPPER
	RET

// func first2(rows, n int, c *int32, ldc int, norms, adds, out *uint32)
// Every lane keeps its smallest distance and whose it is, in Y2 and Y3.
//	SI c   R8 columns left   DX norms   R13 adds   R15 out   DI rows left   CX column
TEXT ·first2(SB), NOSPLIT, $0-56
	MOVQ rows+0(FP), DI
	MOVQ c+16(FP), SI
	MOVQ ldc+24(FP), R10
	MOVQ norms+32(FP), DX
	MOVQ adds+40(FP), R13
	MOVQ out+48(FP), R15
	LEAQ lanes<>(SB), R9
	VPCMPEQD Y12, Y12, Y12
	VPSRLD   $31, Y12, Y13
	VPSLLD   $3, Y13, Y13 // eights
	VMOVDQU  numbers<>(SB), Y11

row:
	MOVQ    n+8(FP), R8
	VPBROADCASTD (R13), Y14
	VMOVDQA Y12, Y2
	VPXOR   Y3, Y3, Y3
	VMOVDQA Y11, Y4
	XORQ    CX, CX

loop:
	DISTANCES(CX, Y1, Y0)
	LEFT(Y1)
	VPMINUD   Y1, Y2, Y1
	VPCMPEQD  Y2, Y1, Y5
	VPBLENDVB Y5, Y3, Y4, Y3
	VMOVDQA   Y1, Y2
	VPADDD    Y13, Y4, Y4
	ADDQ $8, CX
	SUBQ $8, R8
	JG   loop
	VMOVDQA Y2, Y5
	LEAST(Y5, Y6)
	VPCMPEQD  Y5, Y2, Y5
	VPBLENDVB Y5, Y3, Y12, Y3
	LEAST(Y3, Y6)
	VMOVD X3, (R15)
	ADDQ $4, R13
	ADDQ $4, R15
	LEAQ (SI)(R10*4), SI
	DECQ DI
	JNZ  row
	VZEROUPPER
	RET

// func reaching2(n int, c, halves, leasts *float32, half, least float32, out *uint32) int
//	SI c   R8 columns left   DX halves   R13 leasts   R10 out   BX found   CX column
// It branches on what it finds: there is hardly any.
TEXT ·reaching2(SB), NOSPLIT, $0-56
	MOVQ n+0(FP), R8
	MOVQ c+8(FP), SI
	MOVQ halves+16(FP), DX
	MOVQ leasts+24(FP), R13
	VBROADCASTSS half+32(FP), Y14
	VBROADCASTSS least+36(FP), Y15
	MOVQ out+40(FP), R10
	LEAQ ·fronts(SB), R12
	VMOVDQU numbers<>(SB), Y13
	XORQ BX, BX
	XORQ CX, CX
	TESTQ R8, R8
	JLE  done

loop:
	VMOVUPS (SI)(CX*4), Y0
	VSUBPS  (DX)(CX*4), Y0, Y1
	VSUBPS  Y14, Y0, Y2
	VCMPPS  $5, Y15, Y1, Y1
	VCMPPS  $5, (R13)(CX*4), Y2, Y2
	VORPS   Y1, Y2, Y1
	VMOVMSKPS Y1, AX
	CMPQ    R8, $8
	JGE     full
	BZHIL   R8, AX, AX

full:
	TESTL AX, AX
	JZ    next
	VMOVQ CX, X3
	VPBROADCASTD X3, Y3
	VPADDD Y13, Y3, Y3
	VPMOVZXBD (R12)(AX*8), Y4
	VPERMD Y3, Y4, Y3
	VMOVDQU Y3, (R10)(BX*4)
	POPCNTL AX, AX
	ADDQ  AX, BX

next:
	ADDQ $8, CX
	SUBQ $8, R8
	JG   loop

done:
	MOVQ BX, ret+48(FP)
	VZEROUPPER
	RET
