//go:build amd64 && !noasm

#include "go_asm.h"
#include "textflag.h"

// The near columns of a row by number, and the candidates that wait; see codes.go and waiting.go.

// NUMBER writes the number of the lowest bit of AX, and clears that bit.
#define NUMBER(at) \
	TZCNTQ AX, R11; \
	ADDL R10, R11; \
	MOVL R11, at(R9); \
	BLSRQ AX, AX

// func bitsOf(words *uint64, n int, numbers *uint32) int
//	SI words   R8 words left   DI numbers   BX numbers written   R10 the number of a word's first bit
//
// It writes four numbers a step whether or not as many bits are left: few words have more, so that
// the branch is foreseen, and a loop of one bit a step mispredicts its end.
TEXT ·bitsOf(SB), NOSPLIT, $0-32
	MOVQ words+0(FP), SI
	MOVQ n+8(FP), R8
	MOVQ numbers+16(FP), DI
	XORL BX, BX
	XORL R10, R10

word:
	MOVQ (SI), AX
	POPCNTQ AX, CX
	LEAQ (DI)(BX*4), R9
	ADDQ CX, BX
	LEAQ (DI)(BX*4), R12

four:
	NUMBER(0)
	NUMBER(4)
	NUMBER(8)
	NUMBER(12)
	ADDQ $16, R9
	CMPQ R9, R12
	JCS four
	ADDL $64, R10
	ADDQ $8, SI
	DECQ R8
	JNZ word
	MOVQ BX, ret+24(FP)
	RET

// func note(near *uint32, k int, distances *uint32, columns *WaitingColumns, mine *Waiting, n, limit, id uint32) (done int, after uint32)
//	SI near, R8 its end   R9 distances   R10 ids   R11 limits   R12 counts   R13 waiting
//	DI mine   BX its count   CX id   AX a column, DX its distance, R15 its count
//
// A candidate that is beyond a limit is written behind the others, and not counted: no branch depends on it.
TEXT ·note(SB), NOSPLIT, $0-68
	MOVQ near+0(FP), SI
	MOVQ k+8(FP), R8
	LEAQ (SI)(R8*4), R8
	MOVQ distances+16(FP), R9
	MOVQ columns+24(FP), AX
	MOVQ WaitingColumns_IDs(AX), R10
	MOVQ WaitingColumns_Limits(AX), R11
	MOVQ WaitingColumns_Counts(AX), R12
	MOVQ WaitingColumns_Waiting(AX), R13
	MOVQ mine+32(FP), DI
	MOVL n+40(FP), BX
	MOVL id+48(FP), CX

next:
	MOVL (SI), AX
	MOVL (R12)(AX*4), R15
	CMPL BX, $32
	JEQ full
	CMPL R15, $32
	JEQ full
	MOVL (R9)(AX*4), DX
	MOVL (R10)(AX*4), R14
	MOVL DX, (DI)(BX*4)
	MOVL R14, 128(DI)(BX*4)
	CMPL limit+44(FP), DX
	SBBL $-1, BX
	MOVL AX, R14
	SHLL $6, R14
	ADDL R15, R14
	MOVL DX, (R13)(R14*4)
	MOVL CX, 128(R13)(R14*4)
	CMPL (R11)(AX*4), DX
	SBBL $-1, R15
	MOVL R15, (R12)(AX*4)
	ADDQ $4, SI
	CMPQ SI, R8
	JNE next

full:
	SUBQ near+0(FP), SI
	SHRQ $2, SI
	MOVQ SI, done+56(FP)
	MOVL BX, after+64(FP)
	RET
