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

// func mergeShort512(list *uint64, k int, d, ids *uint32, n int, self uint32)
// Of 32 candidates at a time those are picked that come before the list's end and do not
// stand in it: often none, and the list is left as it is. They differ from each other, so it
// is enough to look for them in the list as it was, and for their lower halves, as an id has
// one distance: in Z5 and Z6, in any order. The list, of at most 32, is in Z1 to Z4, where
// those that were picked are inserted two at a time. Only counts branch.
//	CX, DX candidates of the block, picked   DI picked   R13 the list's end   R8 any picked
TEXT ·mergeShort512(SB), NOSPLIT, $264-44
	MOVQ list+0(FP), SI
	MOVQ k+8(FP), R8
	MOVQ d+16(FP), R9
	MOVQ ids+24(FP), R10
	MOVQ n+32(FP), R11
	MOVL self+40(FP), R12
	MOVQ $-1, R14
	VPBROADCASTD marks<>(SB), Z31
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
	VSHUFPS $0x88, Z2, Z1, Z5
	VSHUFPS $0x88, Z4, Z3, Z6
	VPORD   Z31, Z5, Z5 // whatever their marks
	VPORD   Z31, Z6, Z6

	MOVQ -8(SI)(R8*8), R13
	LEAQ picked-264(SP), DI
	XORQ R8, R8

block:
	MOVQ $32, CX
	CMPQ R11, CX
	CMOVQLT R11, CX
	SUBQ CX, R11
	XORQ DX, DX

look:
	ENTRY
	VPBROADCASTD BX, Z0
	VPCMPEQD Z5, Z0, K1
	VPCMPEQD Z6, Z0, K2
	MOVQ  BX, (DI)(DX*8)
	XORL  AX, AX
	CMPQ  BX, R13
	SETCS AX
	XORL  BX, BX
	KORTESTW K1, K2
	SETEQ BX
	ANDL  BX, AX
	ADDQ  AX, DX
	DECQ  CX
	JNZ   look

	TESTQ DX, DX
	JZ    next
	ORQ   DX, R8
	MOVQ  R14, (DI)(DX*8) // makes their number even

push:
	MOVQ (DI)(CX*8), AX
	MOVQ 8(DI)(CX*8), BX
	VPBROADCASTQ AX, Z0
	VPBROADCASTQ BX, Z9
	VPMAXUQ Z9, Z0, Z11
	VPMINUQ Z9, Z0, Z0
	PUSH2(Z3, Z4)
	PUSH2(Z2, Z3)
	PUSH2(Z1, Z2)
	PUSH2(Z10, Z1)
	ADDQ $2, CX
	CMPQ CX, DX
	JLT  push

next:
	TESTQ R11, R11
	JNZ   block
	TESTQ R8, R8
	JZ    same
	VMOVDQU64 Z1, K3, (SI)
	VMOVDQU64 Z2, K4, 64(SI)
	VMOVDQU64 Z3, K5, 128(SI)
	VMOVDQU64 Z4, K6, 192(SI)

same:
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
