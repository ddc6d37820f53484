//go:build amd64 && !noasm

#include "textflag.h"

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

#define PUT3(a, b, c) \
	VMOVUPS a, (AX); \
	VMOVUPS b, 64(AX); \
	VMOVUPS c, 128(AX); \
	ADDQ DX, AX

#define PUT1(a) \
	VMOVUPS a, (AX); \
	ADDQ DX, AX

// func products512(rows *[8]*byte, dim int, panels *byte, stride, count int, c *float32, ldc int)
// As dotsVNNI: eight rows against three panels at a time, then against one.
TEXT ·products512(SB), NOSPLIT, $0-56
	MOVQ rows+0(FP), DI
	MOVQ 0(DI), R8
	MOVQ 8(DI), R9
	MOVQ 16(DI), R10
	MOVQ 24(DI), R11
	MOVQ 32(DI), R12
	MOVQ 40(DI), R13
	MOVQ 48(DI), R14
	MOVQ 56(DI), R15
	MOVQ dim+8(FP), DI
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

element3:
	VMOVUPS (SI), Z24
	VMOVUPS (SI)(BX*1), Z25
	VMOVUPS (SI)(BX*2), Z26
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
	JLT  element3
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

element1:
	VMOVUPS (SI), Z24
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
	JLT  element1
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

DATA iota<>+0(SB)/8, $0x0000000100000000
DATA iota<>+8(SB)/8, $0x0000000300000002
DATA iota<>+16(SB)/8, $0x0000000500000004
DATA iota<>+24(SB)/8, $0x0000000700000006
DATA iota<>+32(SB)/8, $0x0000000900000008
DATA iota<>+40(SB)/8, $0x0000000b0000000a
DATA iota<>+48(SB)/8, $0x0000000d0000000c
DATA iota<>+56(SB)/8, $0x0000000f0000000e
GLOBL iota<>(SB), RODATA|NOPTR, $64

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
	VMOVDQU32 iota<>(SB), Z28
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
