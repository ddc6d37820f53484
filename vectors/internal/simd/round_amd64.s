//go:build amd64 && !noasm

#include "textflag.h"

// What Round adds to steps, the half of it that is no code's, and the most of a code.
DATA half<>+0(SB)/8, $128.5
GLOBL half<>(SB), RODATA|NOPTR, $8
DATA only<>+0(SB)/8, $0.5
GLOBL only<>(SB), RODATA|NOPTR, $8
DATA most<>+0(SB)/8, $255.0
GLOBL most<>(SB), RODATA|NOPTR, $8

DATA one<>+0(SB)/8, $1.0
GLOBL one<>(SB), RODATA|NOPTR, $8

// CODES makes codes of eight elements less their offsets, in X2. With VPMOVDB to memory an AMD
// core (Zen 4) took 1.2 times as long.
#define CODES \
	VMULPD Z30, Z0, Z0; \
	VADDPD Z29, Z0, Z0; \
	VMAXPD Z27, Z0, Z1; \
	VMINPD Z28, Z1, Z1; \
	VCVTTPD2DQ Z1, Y1; \
	VPMOVDB Y1, X2

// APART adds up how far they lie from their codes, and goes on to the next eight.
#define APART \
	VCVTDQ2PD Y1, Z1; \
	VSUBPD Z26, Z0, Z0; \
	VSUBPD Z1, Z0, Z0; \
	VFMADD231PD Z0, Z0, Z25; \
	ADDQ $8, CX; \
	SUBQ $8, R8

// func round512(n int, x *float32, norm float64, offsets *float64, perUnit float64, dst *byte) (apart float64)
// Eight elements at a time, in float64, each step rounded by itself. What follows the last
// one is zero, and its code's own distance too.
TEXT ·round512(SB), NOSPLIT, $0-56
	MOVQ n+0(FP), R8
	MOVQ x+8(FP), SI
	MOVQ offsets+24(FP), DX
	MOVQ dst+40(FP), DI
	VBROADCASTSD norm+16(FP), Z31
	VBROADCASTSD perUnit+32(FP), Z30
	VBROADCASTSD half<>(SB), Z29
	VBROADCASTSD most<>(SB), Z28
	VBROADCASTSD only<>(SB), Z26
	VPXORQ Z27, Z27, Z27
	VPXORQ Z25, Z25, Z25
	MOVL  $0xFF, AX
	KMOVW AX, K1
	XORQ  CX, CX
	VMOVSD norm+16(FP), X0
	VMOVSD one<>(SB), X1
	VUCOMISD X0, X1
	JNE  eight
	JPS  eight

// Nothing is to be divided: what takes most of the time.
whole:
	CMPQ R8, $8
	JLT  eight
	VCVTPS2PD (SI)(CX*4), Z0
	VSUBPD (DX)(CX*8), Z0, Z0
	CODES
	VMOVQ X2, (DI)(CX*1)
	APART
	JMP  whole

eight:
	CMPQ  R8, $8
	JGE   full
	TESTQ R8, R8
	JLE   done
	BZHIL R8, AX, AX
	KMOVW AX, K1

full:
	VMOVUPS.Z (SI)(CX*4), K1, Y0
	VCVTPS2PD Y0, Z0
	VMOVUPD.Z (DX)(CX*8), K1, Z1
	VDIVPD Z31, Z0, Z0
	VSUBPD Z1, Z0, Z0
	CODES
	VMOVDQU8 X2, K1, (DI)(CX*1)
	APART
	JMP  eight

done:
	VEXTRACTF64X4 $1, Z25, Y0
	VADDPD Y0, Y25, Y0
	VEXTRACTF128 $1, Y0, X1
	VADDPD X0, X1, X0
	VSHUFPD $1, X0, X0, X1
	VADDSD X0, X1, X0
	VMOVSD X0, apart+48(FP)
	VZEROUPPER
	RET

// func round2(n int, x *float32, norm float64, offsets *float64, perUnit float64, dst *byte) (apart float64)
// The same for four at a time; n is a multiple of four, and at least that.
TEXT ·round2(SB), NOSPLIT, $0-56
	MOVQ n+0(FP), R8
	MOVQ x+8(FP), SI
	MOVQ offsets+24(FP), DX
	MOVQ dst+40(FP), DI
	VBROADCASTSD norm+16(FP), Y15
	VBROADCASTSD perUnit+32(FP), Y14
	VBROADCASTSD half<>(SB), Y13
	VBROADCASTSD most<>(SB), Y12
	VBROADCASTSD only<>(SB), Y11
	VXORPD Y10, Y10, Y10
	VXORPD Y9, Y9, Y9
	XORQ CX, CX

four:
	VCVTPS2PD (SI)(CX*4), Y0
	VDIVPD Y15, Y0, Y0
	VSUBPD (DX)(CX*8), Y0, Y0
	VMULPD Y14, Y0, Y0
	VADDPD Y13, Y0, Y0
	VMAXPD Y10, Y0, Y1
	VMINPD Y12, Y1, Y1
	VCVTTPD2DQY Y1, X1
	VCVTDQ2PD X1, Y2
	VPACKUSDW X1, X1, X1
	VPACKUSWB X1, X1, X1
	VMOVD X1, (DI)(CX*1)
	VSUBPD Y11, Y0, Y0
	VSUBPD Y2, Y0, Y0
	VFMADD231PD Y0, Y0, Y9
	ADDQ $4, CX
	CMPQ CX, R8
	JLT  four
	VEXTRACTF128 $1, Y9, X0
	VADDPD X0, X9, X0
	VSHUFPD $1, X0, X0, X1
	VADDSD X0, X1, X0
	VMOVSD X0, apart+48(FP)
	VZEROUPPER
	RET

// func steps512(n int, products, offsets *int32, factor int32, dst *byte)
// Eight at a time; n is a multiple of that, and not 0.
TEXT ·steps512(SB), NOSPLIT, $0-40
	MOVQ n+0(FP), CX
	MOVQ products+8(FP), SI
	MOVQ offsets+16(FP), DX
	MOVLQSX factor+24(FP), AX
	MOVQ dst+32(FP), DI
	VPBROADCASTQ AX, Z31
	MOVL $0x800000, AX
	VPBROADCASTQ AX, Z30
	MOVL $0x80808080, AX
	VPBROADCASTD AX, X29

steps:
	VMOVDQU32 (SI), Y0
	VPSUBD (DX), Y0, Y0
	VPMOVSXDQ Y0, Z0
	VPMULDQ Z31, Z0, Z0
	VPADDQ Z30, Z0, Z0
	VPSRAQ $24, Z0, Z0
	VPMOVSQB Z0, X0
	VPXORD X29, X0, X0
	VMOVQ X0, (DI)
	ADDQ $32, SI
	ADDQ $32, DX
	ADDQ $8, DI
	SUBQ $8, CX
	JNZ  steps
	VZEROUPPER
	RET
