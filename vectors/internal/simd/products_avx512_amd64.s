//go:build amd64 && !noasm

#include "textflag.h"
#include "tiles_amd64.h"

// Products of float32 rows by AVX-512; see products.go for what each function
// computes.

// STEP3 adds the products of one element of row r with three panels.
#define STEP3(r, a, b, c, t) \
	VBROADCASTSS (r)(CX*4), t; \
	VFMADD231PS Z24, t, a; \
	VFMADD231PS Z25, t, b; \
	VFMADD231PS Z26, t, c

#define STEP1(r, a, t) \
	VBROADCASTSS (r)(CX*4), t; \
	VFMADD231PS Z24, t, a

// func products512(rows *[8]*byte, dim int, panels *byte, stride, count int, c *float32, ldc int)
// As dotsVNNI: eight rows against three panels at a time, then against one.
TEXT ·products512(SB), NOSPLIT, $0-56
	MOVQ rows+0(FP), DI
	ROWS8
	MOVQ dim+8(FP), DI
	MOVQ stride+24(FP), BX

three:
	CMPQ count+32(FP), $3
	JLT  one
	MOVQ panels+16(FP), SI
	LEAQ (SI)(BX*2), AX
	ADDQ BX, AX
	MOVQ AX, panels+16(FP)
	CLEAR24
	XORQ CX, CX

element3:
	VMOVUPS (SI), Z24
	VMOVUPS (SI)(BX*1), Z25
	VMOVUPS (SI)(BX*2), Z26
	STEPS24(STEP3)
	ADDQ $64, SI
	INCQ CX
	CMPQ CX, DI
	JLT  element3
	MOVQ c+40(FP), AX
	MOVQ ldc+48(FP), DX
	SHLQ $2, DX
	PUT24
	ADDQ $192, c+40(FP)
	SUBQ $3, count+32(FP)
	JMP  three

one:
	CMPQ count+32(FP), $1
	JLT  done
	MOVQ panels+16(FP), SI
	ADDQ BX, panels+16(FP)
	CLEAR8
	XORQ CX, CX

element1:
	VMOVUPS (SI), Z24
	STEPS8(STEP1)
	ADDQ $64, SI
	INCQ CX
	CMPQ CX, DI
	JLT  element1
	MOVQ c+40(FP), AX
	MOVQ ldc+48(FP), DX
	SHLQ $2, DX
	PUT8
	ADDQ $64, c+40(FP)
	DECQ count+32(FP)
	JMP  one

done:
	VZEROUPPER
	RET

// func reaching512(n int, c, halves, leasts *float32, half, least float32, out *uint32) int
//	SI c   R8 columns left   DX halves   R13 leasts   R10 out   BX found   CX column
// It branches on what it finds: there is hardly any.
TEXT ·reaching512(SB), NOSPLIT, $0-56
	MOVQ n+0(FP), R8
	MOVQ c+8(FP), SI
	MOVQ halves+16(FP), DX
	MOVQ leasts+24(FP), R13
	VBROADCASTSS half+32(FP), Z30
	VBROADCASTSS least+36(FP), Z31
	MOVQ out+40(FP), R10
	VMOVDQU32 numbers<>(SB), Z28
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
	VMOVUPS (SI)(CX*4), Z0
	VSUBPS  (DX)(CX*4), Z0, Z1
	VSUBPS  Z30, Z0, Z2
	VCMPPS  $5, Z31, Z1, K2, K1
	VCMPPS  $5, (R13)(CX*4), Z2, K2, K3
	KORW    K1, K3, K1
	KORTESTW K1, K1
	JZ      next
	KMOVW   K1, AX
	VPBROADCASTD CX, Z3
	VPADDD  Z28, Z3, Z3
	VPCOMPRESSD Z3, K1, Z4
	VMOVDQU32 Z4, (R10)(BX*4)
	POPCNTL AX, AX
	ADDQ    AX, BX

next:
	ADDQ $16, CX
	SUBQ $16, R8
	JMP  loop

done:
	MOVQ BX, ret+48(FP)
	VZEROUPPER
	RET

// func halves512(dst *float32, src *byte, n int)
// n is a multiple of 16.
TEXT ·halves512(SB), NOSPLIT, $0-24
	MOVQ dst+0(FP), DI
	MOVQ src+8(FP), SI
	MOVQ n+16(FP), CX

sixteen:
	VCVTPH2PS (SI), Z0
	VMOVUPS Z0, (DI)
	ADDQ $32, SI
	ADDQ $64, DI
	SUBQ $16, CX
	JG   sixteen
	VZEROUPPER
	RET
