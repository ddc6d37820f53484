//go:build amd64 && !noasm

#include "textflag.h"

// Lists by AVX-512; see codes.go for what each function computes.

// The two marks of an entry that is new.
DATA marks<>+0(SB)/8, $3
GLOBL marks<>(SB), RODATA|NOPTR, $8

// SAME collects in K1 whether a list holds e, in Z0, whatever its marks.
#define SAME(v) \
	VPORQ    v, Z31, Z9; \
	VPCMPEQQ Z9, Z0, K2; \
	KORW     K2, K1, K1

// PUSH2 inserts Z0 and Z11, which is no less, into the sorted chunk v, of which p is the
// chunk before it: every entry becomes min(itself, max(the one before it, Z0), max(the one
// before that, Z11)).
#define PUSH2(p, v) \
	VALIGNQ $7, p, v, Z9; \
	VALIGNQ $6, p, v, Z12; \
	VPMAXUQ Z0, Z9, Z9; \
	VPMAXUQ Z11, Z12, Z12; \
	VPMINUQ Z12, Z9, Z9; \
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
	LEAQ    3(BX)(AX*4), BX; \
	CMPL    AX, R12; \
	CMOVQEQ R14, BX

// LANES sets k to the lanes of a list that are in a chunk, and AX to those in the chunks after it.
#define LANES(k) \
	KMOVW AX, k; \
	SHRQ  $8, AX

// PICKS makes entries, at DI, of eight distances and ids in the lower halves of d and ids.
#define PICKS(d, ids, at) \
	VPMOVZXDQ d, Z6; \
	VPMOVZXDQ ids, Z7; \
	VPSLLQ    $32, Z6, Z6; \
	VPORQ     Z7, Z6, Z6; \
	VMOVDQU64 Z6, at(DI)

// NEXT2 takes the next two of those picked, CX of which have been taken: the less to Z0, the
// other to Z11.
#define NEXT2 \
	VPBROADCASTQ (DI)(CX*8), Z6; \
	VPBROADCASTQ 8(DI)(CX*8), Z7; \
	VPMAXUQ Z7, Z6, Z11; \
	VPMINUQ Z7, Z6, Z0; \
	ADDQ $2, CX; \
	CMPQ CX, DX

// BEGIN takes a list and the candidates for it, of which FILTER takes 16 at a time.
//	SI list   R8 its length   R9 d   R10 ids   R11 candidates left   R12 16 lanes
//	Z20, Z21 distance and id of the list's end   Z22 the row itself   Z31 the marks
#define BEGIN \
	MOVQ list+0(FP), SI; \
	MOVQ k+8(FP), R8; \
	MOVQ d+16(FP), R9; \
	MOVQ ids+24(FP), R10; \
	MOVQ n+32(FP), R11; \
	MOVL self+40(FP), AX; \
	VPBROADCASTD AX, Z22; \
	VPBROADCASTD marks<>(SB), Z31; \
	MOVQ -8(SI)(R8*8), AX; \
	VPBROADCASTD AX, Z21; \
	SHRQ $32, AX; \
	VPBROADCASTD AX, Z20; \
	MOVL $0xFFFF, R12

// FILTER leaves in K1, of 16 candidates, those that come before the list's end and do not stand
// in it, or goes to next where the first are none. An id that the list has differs from a
// candidate's in the marks at most. Z12 has the distances, Z13 the ids with marks.
#define FILTER \
	MOVL R12, AX; \
	CMPQ R11, $16; \
	JGE  whole; \
	BZHIL R11, R12, AX; \
whole: \
	KMOVW AX, K1; \
	VMOVDQU32.Z (R9), K1, Z12; \
	VMOVDQU32.Z (R10), K1, Z13; \
	VPCMPUD  $4, Z22, Z13, K1, K1; \
	VPSLLD   $2, Z13, Z14; \
	VPORD    Z31, Z14, Z13; \
	VPCMPUD  $1, Z20, Z12, K1, K2; \
	VPCMPEQD Z20, Z12, K1, K1; \
	VPCMPUD  $1, Z21, Z13, K1, K1; \
	KORW     K2, K1, K1; \
	KORTESTW K1, K1; \
	JZ next; \
	VPTERNLOGD $0xFF, Z15, Z15, Z15; \
	VMOVDQA32 Z15, Z16; \
	MOVQ SI, BX; \
	MOVQ R8, CX; \
	SUBQ $2, CX; \
	JLT  odd; \
two: \
	VPXORD.BCST (BX), Z14, Z17; \
	VPXORD.BCST 8(BX), Z14, Z18; \
	VPMINUD Z17, Z15, Z15; \
	VPMINUD Z18, Z16, Z16; \
	ADDQ $16, BX; \
	SUBQ $2, CX; \
	JGE  two; \
odd: \
	ADDQ $2, CX; \
	JZ   known; \
	VPXORD.BCST (BX), Z14, Z17; \
	VPMINUD Z17, Z15, Z15; \
known: \
	VPMINUD Z16, Z15, Z15; \
	VPCMPUD $6, Z31, Z15, K1, K1

// func mergeShort512(list *uint64, k int, d, ids *uint32, n int, self uint32)
// Of 16 candidates at a time those are picked that come before the list's end and do not
// stand in it: often none, and the list is left as it is. They differ from each other, so it
// is enough to look for them in the list as it was, and for their ids, as an id has
// one distance. The list, of at most 32, is then in Z1 to Z4, where those that were picked are
// inserted two at a time, in any order.
//	R8 k   R9 d   R10 ids   R11 candidates left   CX, DX taken, picked   DI picked
//	R13 whether the list is in registers   Z20, Z21 distance and id of its end
TEXT ·mergeShort512(SB), NOSPLIT, $200-44
	BEGIN
	VPXORQ Z10, Z10, Z10
	XORQ R13, R13
	LEAQ picked-137(SP), DI
	ANDQ $-64, DI

block:
	FILTER
	KMOVW   K1, AX
	POPCNTL AX, DX
	TESTL   DX, DX
	JZ      next

	VPCOMPRESSD Z12, K1, Z12
	VPCOMPRESSD Z13, K1, Z13
	PICKS(Y12, Y13, 0)
	CMPQ DX, $8
	JLE  picked
	VEXTRACTI64X4 $1, Z12, Y12
	VEXTRACTI64X4 $1, Z13, Y13
	PICKS(Y12, Y13, 64)

picked:
	MOVQ  $-1, AX
	MOVQ  AX, (DI)(DX*8) // makes their number even
	TESTQ R13, R13
	JNZ   loaded
	MOVQ  AX, R13
	VPTERNLOGQ $0xFF, Z1, Z1, Z1
	VMOVDQA64 Z1, Z2
	VMOVDQA64 Z1, Z3
	VMOVDQA64 Z1, Z4
	BZHIQ R8, AX, AX
	LANES(K3)
	LANES(K4)
	LANES(K5)
	LANES(K6)
	VMOVDQU64 (SI), K3, Z1
	VMOVDQU64 64(SI), K4, Z2
	VMOVDQU64 128(SI), K5, Z3
	VMOVDQU64 192(SI), K6, Z4

loaded:
	XORQ CX, CX
	CMPQ R8, $16
	JLE  push2
	CMPQ R8, $24
	JLE  push3

push4:
	NEXT2
	PUSH2(Z3, Z4)
	PUSH2(Z2, Z3)
	PUSH2(Z1, Z2)
	PUSH2(Z10, Z1)
	JLT  push4
	JMP  next

push3:
	NEXT2
	PUSH2(Z2, Z3)
	PUSH2(Z1, Z2)
	PUSH2(Z10, Z1)
	JLT  push3
	JMP  next

push2:
	NEXT2
	PUSH2(Z1, Z2)
	PUSH2(Z10, Z1)
	JLT  push2

next:
	ADDQ $64, R9
	ADDQ $64, R10
	SUBQ $16, R11
	JGT  block
	TESTQ R13, R13
	JZ    same
	VMOVDQU64 Z1, K3, (SI)
	VMOVDQU64 Z2, K4, 64(SI)
	VMOVDQU64 Z3, K5, 128(SI)
	VMOVDQU64 Z4, K6, 192(SI)

same:
	VZEROUPPER
	RET

// func enters512(list *uint64, k int, d, ids *uint32, n int, self uint32) bool
// Another thread may be writing the list: its end is read at once.
TEXT ·enters512(SB), NOSPLIT, $0-49
	BEGIN

block:
	FILTER
	KORTESTW K1, K1
	JNZ some

next:
	ADDQ $64, R9
	ADDQ $64, R10
	SUBQ $16, R11
	JGT  block
	MOVB $0, ret+48(FP)
	VZEROUPPER
	RET

some:
	MOVB $1, ret+48(FP)
	VZEROUPPER
	RET

// func mergeLong512(list *uint64, k int, d, ids *uint32, n int, self uint32)
// The same for lists of any length, in memory, eight entries at a time; DX holds the
// whole chunks and K3 the lanes of the rest after them.
TEXT ·mergeLong512(SB), NOSPLIT, $0-44
	MOVQ list+0(FP), SI
	MOVQ k+8(FP), R8
	MOVQ d+16(FP), R9
	MOVQ ids+24(FP), R10
	MOVQ n+32(FP), R11
	MOVL self+40(FP), R12
	MOVQ $-1, R14
	VPBROADCASTQ marks<>(SB), Z31
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

	// Every chunk hands its last entry to the next, until there are no more entries.
	VMOVDQA64 Z10, Z2
	XORQ CX, CX

push:
	CMPQ CX, DX
	JEQ  rest
	VMOVDQU64 (SI)(CX*1), Z1
	MOVQ 56(SI)(CX*1), AX
	VALIGNQ $7, Z2, Z1, Z9
	VPMAXUQ Z0, Z9, Z9
	VPMINUQ Z9, Z1, Z9
	VMOVDQU64 Z9, (SI)(CX*1)
	VMOVDQA64 Z1, Z2
	ADDQ $64, CX
	CMPQ AX, R14
	JNE  push
	JMP  next

rest:
	VMOVDQU64.Z (SI)(DX*1), K3, Z1
	VALIGNQ $7, Z2, Z1, Z9
	VPMAXUQ Z0, Z9, Z9
	VPMINUQ Z9, Z1, Z1
	VMOVDQU64 Z1, K3, (SI)(DX*1)

next:
	DECQ R11
	JNZ  candidate
	VZEROUPPER
	RET
