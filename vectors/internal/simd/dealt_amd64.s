//go:build amd64 && !noasm

#include "textflag.h"
#include "numbers_amd64.h"

// Entries whose ids are dealt to some parts; see codes.go.

// ARGUMENTS
//	SI list   R8 entries left   R10 numbers   R11 ids   BX picked
#define ARGUMENTS \
	MOVQ list+0(FP), SI; \
	MOVQ k+8(FP), R8; \
	MOVQ numbers+32(FP), R10; \
	MOVQ ids+40(FP), R11; \
	XORQ BX, BX

// func dealt512(list *uint64, k int, from, last, end uint32, numbers, ids *uint32) int
//	Z24 from   Z25 last   Z26 end   Z27 the factor   Z28 the numbers at hand   Z29 16
//	Z30 the lower halves of 16 entries
TEXT ·dealt512(SB), NOSPLIT, $0-56
	ARGUMENTS
	MOVL from+16(FP), AX
	VPBROADCASTD AX, Z24
	MOVL last+20(FP), AX
	VPBROADCASTD AX, Z25
	MOVL end+24(FP), AX
	VPBROADCASTD AX, Z26
	MOVL $0x9e3779b1, AX
	VPBROADCASTD AX, Z27
	MOVL $16, AX
	VPBROADCASTD AX, Z29
	VMOVDQU32 numbers<>(SB), Z28
	VPADDD Z28, Z28, Z30

loop512:
	VMOVDQU64 (SI), Z0
	VPERMT2D 64(SI), Z30, Z0
	VPSRLD $6, Z0, Z1
	VPSRLD $2, Z0, Z0
	VPMULLD Z27, Z1, Z1
	VPSRLD $27, Z1, Z1
	VPSUBD Z24, Z1, Z1
	VPCMPUD $2, Z25, Z1, K1
	VPCMPUD $2, Z26, Z0, K1, K1
	KMOVW K1, AX
	VPCOMPRESSD Z28, K1, Z2
	VPCOMPRESSD Z0, K1, Z3
	VMOVDQU32 Z2, (R10)(BX*4)
	VMOVDQU32 Z3, (R11)(BX*4)
	POPCNTL AX, AX
	ADDQ AX, BX
	VPADDD Z29, Z28, Z28
	ADDQ $128, SI
	SUBQ $16, R8
	JNZ loop512
	MOVQ BX, ret+48(FP)
	VZEROUPPER
	RET

// func dealt2(list *uint64, k int, from, last, end uint32, numbers, ids *uint32) int
//	Y8 from   Y9 last   Y10 end   Y11 the factor   Y12 the numbers at hand   Y13 8
//	R9 fronts
TEXT ·dealt2(SB), NOSPLIT, $0-56
	ARGUMENTS
	MOVL from+16(FP), AX
	VMOVD AX, X8
	VPBROADCASTD X8, Y8
	MOVL last+20(FP), AX
	VMOVD AX, X9
	VPBROADCASTD X9, Y9
	MOVL end+24(FP), AX
	VMOVD AX, X10
	VPBROADCASTD X10, Y10
	MOVL $0x9e3779b1, AX
	VMOVD AX, X11
	VPBROADCASTD X11, Y11
	MOVL $8, AX
	VMOVD AX, X13
	VPBROADCASTD X13, Y13
	VMOVDQU numbers<>(SB), Y12
	LEAQ ·fronts(SB), R9

loop2:
	VMOVDQU (SI), Y0
	VMOVDQU 32(SI), Y1
	VSHUFPS $0x88, Y1, Y0, Y0
	VPERMQ $0xD8, Y0, Y0
	VPSRLD $6, Y0, Y1
	VPSRLD $2, Y0, Y0
	VPMULLD Y11, Y1, Y1
	VPSRLD $27, Y1, Y1
	VPSUBD Y8, Y1, Y1
	VPMINUD Y9, Y1, Y2
	VPCMPEQD Y2, Y1, Y1
	VPMINUD Y10, Y0, Y2
	VPCMPEQD Y2, Y0, Y2
	VPAND Y2, Y1, Y1
	VMOVMSKPS Y1, AX
	VPMOVZXBD (R9)(AX*8), Y2
	VPERMD Y12, Y2, Y3
	VPERMD Y0, Y2, Y4
	VMOVDQU Y3, (R10)(BX*4)
	VMOVDQU Y4, (R11)(BX*4)
	POPCNTL AX, AX
	ADDQ AX, BX
	VPADDD Y13, Y12, Y12
	ADDQ $64, SI
	SUBQ $8, R8
	JNZ loop2
	MOVQ BX, ret+48(FP)
	VZEROUPPER
	RET
