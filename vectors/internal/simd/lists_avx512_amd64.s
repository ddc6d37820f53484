//go:build amd64 && !noasm

#include "textflag.h"

// Lists by AVX-512; see codes.go for what each function computes.

// func unlisted512(list *uint32, k int, d, ids *uint32, n int, self uint32) int
// A list of at most 32 stays in Z1 and Z2; of a longer one the rest is read again
// for every candidate.
//	SI list   R8 k   R9 d   R10 ids   R11 n   R12 self   BX kept   CX candidate
TEXT ·unlisted512(SB), NOSPLIT, $0-56
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

// func mergeShort512(list *uint64, k int, d, ids *uint32, n int, self uint32)
// A list of at most 32 stays in Z1 to Z4. Candidates differ from each other, so
// it is enough to look for them in the list as it was: Z5 to Z8. Nothing
// branches on data: a candidate that is known becomes the largest number, which
// changes nothing.
TEXT ·mergeShort512(SB), NOSPLIT, $0-44
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
