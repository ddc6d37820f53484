//go:build amd64 && !noasm

#include "textflag.h"
#include "lanes_amd64.h"

// Lists by AVX2; see codes.go for what each function computes.

// COUNT sets AX to how many elements a vector of most holds that begins at element before
// of R8, negated: -clamp(R8-before, 0, most). R13 is 0, DX scratch.
#define COUNT(before, most) \
	MOVQ R8, AX; \
	SUBQ $before, AX; \
	CMOVQLT R13, AX; \
	MOVQ $most, DX; \
	CMPQ AX, DX; \
	CMOVQGT DX, AX; \
	NEGQ AX

// TAKE loads four entries of a list, the largest number past its end, the highest bit
// the other way, and notes them as they would be when new.
#define TAKE(i, y) \
	COUNT((4*i), 4); \
	VMOVDQU 32(R14)(AX*8), Y0; \
	VPMASKMOVD (32*i)(SI), Y0, y; \
	VPOR  64(R14)(AX*8), y, y; \
	VPXOR Y15, y, y; \
	VPOR  Y13, y, Y0; \
	VMOVDQU Y0, (32*i)(DI)

// SAME collects in Y9 whether the list held the entry in Y0.
#define SAME(i) \
	VPCMPEQQ (32*i)(DI), Y0, Y10; \
	VPOR Y10, Y9, Y9

// PUSH inserts Y0 into four entries: what is above it is replaced by the one before it,
// or by Y0 where that is not above it. before and after are those of the four before
// and of these, turned by one.
#define PUSH(v, before, after) \
	VPCMPGTQ  Y0, v, Y9; \
	VPBLENDVB Y9, v, Y0, Y10; \
	VPERMQ    $0x93, Y10, after; \
	VPBLENDD  $3, before, after, Y10; \
	VPBLENDVB Y9, Y10, v, v

// GIVE writes four entries beside the list, the highest bit as it was.
#define GIVE(i, y) \
	VPXOR Y15, y, y; \
	VMOVDQU y, (32*i)(DI)

// func mergeShort2(list *uint64, k int, d, ids *uint32, n int, self uint32)
// A list of at most 32 stays in Y1 to Y8. Entries are compared as signed numbers, with
// the highest bit the other way. Candidates differ from each other, so it is enough to
// look for them in the list as it was. Nothing branches on data: a candidate that is
// known becomes the largest number, which changes nothing.
//	SI list   DI list as it was, new   R8 k   R9 d   R10 ids   R11 candidates left
//	R12 self   Y14 the largest number   Y15 the highest bit
TEXT ·mergeShort2(SB), NOSPLIT, $256-44
	MOVQ list+0(FP), SI
	MOVQ k+8(FP), R8
	MOVQ d+16(FP), R9
	MOVQ ids+24(FP), R10
	MOVQ n+32(FP), R11
	MOVL self+40(FP), R12
	LEAQ room-256(SP), DI
	LEAQ lanes<>(SB), R14
	XORQ R13, R13
	VPCMPEQQ Y14, Y14, Y14
	VPSLLQ $63, Y14, Y15
	VPSRLQ $62, Y14, Y13
	VPSRLQ $1, Y14, Y14
	TAKE(0, Y1)
	TAKE(1, Y2)
	TAKE(2, Y3)
	TAKE(3, Y4)
	TAKE(4, Y5)
	TAKE(5, Y6)
	TAKE(6, Y7)
	TAKE(7, Y8)
	MOVQ $-1, R14

candidate:
	MOVL    (R10), AX
	MOVL    (R9), BX
	ADDQ    $4, R9
	ADDQ    $4, R10
	SHLQ    $32, BX
	LEAQ    3(BX)(AX*4), BX
	CMPL    AX, R12
	CMOVQEQ R14, BX
	VMOVQ   BX, X0
	VPBROADCASTQ X0, Y0
	VPXOR   Y15, Y0, Y0
	VPCMPEQQ (DI), Y0, Y9
	SAME(1)
	SAME(2)
	SAME(3)
	SAME(4)
	SAME(5)
	SAME(6)
	SAME(7)
	VPERM2I128 $1, Y9, Y9, Y10
	VPOR    Y10, Y9, Y9
	VPSHUFD $0x4E, Y9, Y10
	VPOR    Y10, Y9, Y9
	VPBLENDVB Y9, Y14, Y0, Y0
	PUSH(Y1, Y0, Y11)
	PUSH(Y2, Y11, Y12)
	PUSH(Y3, Y12, Y11)
	PUSH(Y4, Y11, Y12)
	CMPQ R8, $16
	JLE  next
	PUSH(Y5, Y12, Y11)
	PUSH(Y6, Y11, Y12)
	CMPQ R8, $24
	JLE  next
	PUSH(Y7, Y12, Y11)
	PUSH(Y8, Y11, Y12)

next:
	DECQ R11
	JNZ  candidate
	GIVE(0, Y1)
	GIVE(1, Y2)
	GIVE(2, Y3)
	GIVE(3, Y4)
	GIVE(4, Y5)
	GIVE(5, Y6)
	GIVE(6, Y7)
	GIVE(7, Y8)
	SUBQ $4, R8
	JLT  rest

four:
	VMOVDQU (DI), Y0
	VMOVDQU Y0, (SI)
	ADDQ $32, DI
	ADDQ $32, SI
	SUBQ $4, R8
	JGE  four

rest:
	ADDQ $4, R8
	JLE  done

one:
	MOVQ (DI), AX
	MOVQ AX, (SI)
	ADDQ $8, DI
	ADDQ $8, SI
	DECQ R8
	JNZ  one

done:
	VZEROUPPER
	RET

// KNOWN sets Y9 where four entries hold Y0, whatever their marks.
#define KNOWN(v) \
	VPOR v, Y13, Y9; \
	VPCMPEQQ Y9, Y0, Y9; \
	VPTEST Y9, Y9

// PUT inserts Y0 into the four entries in Y3, whose last goes to the next four: Y11 and
// Y12 as before and after of PUSH. Y1 is Y0 with the highest bit the other way.
#define PUT \
	VPXOR     Y15, Y3, Y9; \
	VPCMPGTQ  Y1, Y9, Y9; \
	VPBLENDVB Y9, Y3, Y0, Y10; \
	VPERMQ    $0x93, Y10, Y12; \
	VPBLENDD  $3, Y11, Y12, Y10; \
	VPBLENDVB Y9, Y10, Y3, Y3; \
	VMOVDQA   Y12, Y11

// func mergeLong2(list *uint64, k int, d, ids *uint32, n int, self uint32)
// The same for lists of more than 32, in memory. A candidate belongs into the last four
// entries of which the first is below it, and is looked for there; from there on every
// four hand their last entry to the next, until there are no more entries.
//	R13 the last four, or less, whose lanes Y14 has   CX four entries   AX their last
TEXT ·mergeLong2(SB), NOSPLIT, $0-44
	MOVQ list+0(FP), SI
	MOVQ k+8(FP), R8
	MOVQ d+16(FP), R9
	MOVQ ids+24(FP), R10
	MOVQ n+32(FP), R11
	MOVL self+40(FP), R12
	VPCMPEQQ Y14, Y14, Y14
	VPSLLQ $63, Y14, Y15
	VPSRLQ $62, Y14, Y13
	LEAQ -1(R8), R13
	MOVQ R13, CX
	SHRQ $2, R13
	SHLQ $5, R13
	ANDQ $3, CX
	NEGQ CX
	LEAQ lanes<>(SB), R14
	VMOVDQU 24(R14)(CX*8), Y14
	MOVQ $-1, R14

candidate:
	MOVL    (R10), AX
	MOVL    (R9), BX
	ADDQ    $4, R9
	ADDQ    $4, R10
	SHLQ    $32, BX
	LEAQ    3(BX)(AX*4), BX
	CMPL    AX, R12
	CMOVQEQ R14, BX
	CMPQ    BX, -8(SI)(R8*8)
	JCC     next
	MOVQ    R13, CX

find:
	CMPQ BX, (SI)(CX*1)
	JCC  found
	SUBQ $32, CX
	JGE  find
	XORQ CX, CX

found:
	VMOVQ   BX, X0
	VPBROADCASTQ X0, Y0
	VPXOR   Y15, Y0, Y1
	VMOVDQA Y0, Y11
	CMPQ    CX, R13
	JEQ     last
	VMOVDQU (SI)(CX*1), Y3
	KNOWN(Y3)
	JNZ     next

put:
	MOVQ 24(SI)(CX*1), AX
	PUT
	VMOVDQU Y3, (SI)(CX*1)
	CMPQ AX, R14
	JEQ  next
	ADDQ $32, CX
	CMPQ CX, R13
	JEQ  rest
	VMOVDQU (SI)(CX*1), Y3
	JMP  put

last:
	VPMASKMOVQ (SI)(CX*1), Y14, Y3
	KNOWN(Y3)
	JNZ  next

rest:
	VPMASKMOVQ (SI)(CX*1), Y14, Y3
	PUT
	VPMASKMOVQ Y3, Y14, (SI)(CX*1)

next:
	DECQ R11
	JNZ  candidate
	VZEROUPPER
	RET
