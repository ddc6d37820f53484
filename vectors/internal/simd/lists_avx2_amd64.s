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

// TAKE loads four entries of a list, the largest number past its end.
#define TAKE(i, y) \
	COUNT((4*i), 4); \
	VMOVDQU 32(R14)(AX*8), Y0; \
	VPMASKMOVD (32*i)(SI), Y0, y; \
	VPOR 64(R14)(AX*8), y, y

// IDS notes the lower halves of eight entries, with all marks, and turns their highest bits.
#define IDS(i, a, b) \
	VSHUFPS $0x88, b, a, Y0; \
	VPOR    Y13, Y0, Y0; \
	VMOVDQU Y0, (32*i)(DI); \
	VPXOR   Y15, a, a; \
	VPXOR   Y15, b, b

// ENTRY makes in BX the entry of the next candidate, the largest number if it is the row
// itself, and notes it behind the DX that were picked.
#define ENTRY \
	MOVL    (R10), AX; \
	MOVL    (R9), BX; \
	ADDQ    $4, R9; \
	ADDQ    $4, R10; \
	SHLQ    $32, BX; \
	LEAQ    3(BX)(AX*4), BX; \
	CMPL    AX, R12; \
	CMOVQEQ R14, BX; \
	VMOVD   BX, X0; \
	VPBROADCASTD X0, Y0; \
	MOVQ    BX, 128(DI)(DX*8)

// SAME collects in Y9 whether the list held the entry in Y0.
#define SAME(i) \
	VPCMPEQD (32*i)(DI), Y0, Y10; \
	VPOR Y10, Y9, Y9

// PICK counts the entry in BX if it comes before the list's end and Y9 has nothing.
#define PICK \
	XORL   AX, AX; \
	CMPQ   BX, R13; \
	SETCS  AX; \
	XORL   BX, BX; \
	VPTEST Y9, Y9; \
	SETEQ  BX; \
	ANDL   BX, AX; \
	ADDQ   AX, DX; \
	DECQ   CX

// PUSH inserts Y0 into four entries: what is above it is replaced by the one before it,
// or by Y0 where that is not above it. before and after are those of the four before
// and of these, turned by one.
#define PUSH(v, before, after) \
	VPCMPGTQ  Y0, v, Y9; \
	VPBLENDVB Y9, v, Y0, Y10; \
	VPERMQ    $0x93, Y10, after; \
	VPBLENDD  $3, before, after, Y10; \
	VPBLENDVB Y9, Y10, v, v

// GIVE writes four entries over those that were picked, the highest bit as it was.
#define GIVE(i, y) \
	VPXOR Y15, y, y; \
	VMOVDQU y, (32*i)(DI)

// func mergeShort2(list *uint64, k int, d, ids *uint32, n int, self uint32)
// Of 32 candidates at a time those are picked that come before the list's end and do not
// stand in it: often none, and the list is left as it is. They differ from each other, so it
// is enough to look for them in the list as it was, and for their lower halves, as an id has
// one distance: in memory, in any order. The list, of at most 32, is in Y1 to Y8, compared
// as signed numbers with the highest bit the other way. Only counts branch.
//	SI list   DI ids of the list, then those picked   R8 k   R9 d   R10 ids
//	R11 candidates left   CX, DX of the block, picked   R12 self   R13 the list's end
//	R14 the largest number   R15 any picked   Y15 the highest bit
TEXT ·mergeShort2(SB), NOSPLIT, $384-44
	MOVQ list+0(FP), SI
	MOVQ k+8(FP), R8
	MOVQ d+16(FP), R9
	MOVQ ids+24(FP), R10
	MOVQ n+32(FP), R11
	MOVL self+40(FP), R12
	LEAQ room-384(SP), DI
	LEAQ lanes<>(SB), R14
	XORQ R13, R13
	XORQ R15, R15
	VPCMPEQQ Y13, Y13, Y13
	VPSLLQ $63, Y13, Y15
	VPSRLD $30, Y13, Y13
	TAKE(0, Y1)
	TAKE(1, Y2)
	TAKE(2, Y3)
	TAKE(3, Y4)
	IDS(0, Y1, Y2)
	IDS(1, Y3, Y4)
	CMPQ R8, $16
	JLE  taken
	TAKE(4, Y5)
	TAKE(5, Y6)
	TAKE(6, Y7)
	TAKE(7, Y8)
	IDS(2, Y5, Y6)
	IDS(3, Y7, Y8)

taken:
	MOVQ $-1, R14
	MOVQ -8(SI)(R8*8), R13

block:
	MOVQ $32, CX
	CMPQ R11, CX
	CMOVQLT R11, CX
	SUBQ CX, R11
	XORQ DX, DX
	CMPQ R8, $16
	JGT  find

few:
	ENTRY
	VPCMPEQD (DI), Y0, Y9
	SAME(1)
	PICK
	JNZ  few
	JMP  found

find:
	ENTRY
	VPCMPEQD (DI), Y0, Y9
	SAME(1)
	SAME(2)
	SAME(3)
	PICK
	JNZ  find

found:
	TESTQ DX, DX
	JZ    next
	ORQ   DX, R15

push:
	VPBROADCASTQ 120(DI)(DX*8), Y0
	VPXOR Y15, Y0, Y0
	PUSH(Y1, Y0, Y11)
	PUSH(Y2, Y11, Y12)
	CMPQ R8, $8
	JLE  pushed
	PUSH(Y3, Y12, Y11)
	PUSH(Y4, Y11, Y12)
	CMPQ R8, $16
	JLE  pushed
	PUSH(Y5, Y12, Y11)
	PUSH(Y6, Y11, Y12)
	CMPQ R8, $24
	JLE  pushed
	PUSH(Y7, Y12, Y11)
	PUSH(Y8, Y11, Y12)

pushed:
	DECQ DX
	JNZ  push

next:
	TESTQ R11, R11
	JNZ  block
	TESTQ R15, R15
	JZ   done
	ADDQ $128, DI
	GIVE(0, Y1)
	GIVE(1, Y2)
	GIVE(2, Y3)
	GIVE(3, Y4)
	CMPQ R8, $16
	JLE  given
	GIVE(4, Y5)
	GIVE(5, Y6)
	GIVE(6, Y7)
	GIVE(7, Y8)

given:
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
