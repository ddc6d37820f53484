//go:build amd64 && !noasm

#include "textflag.h"

// func subtract512(n int, y, rows *float32, stride int, by *float32, count int)
// 64 elements at a time, then 16; n is a multiple of that.
TEXT ·subtract512(SB), NOSPLIT, $0-48
	MOVQ n+0(FP), R8
	MOVQ y+8(FP), SI
	MOVQ rows+16(FP), DI
	MOVQ stride+24(FP), R9
	MOVQ by+32(FP), R10
	MOVQ count+40(FP), R11

four:
	CMPQ R8, $64
	JLT  one
	VMOVUPS 0(SI), Z0
	VMOVUPS 64(SI), Z1
	VMOVUPS 128(SI), Z2
	VMOVUPS 192(SI), Z3
	MOVQ DI, AX
	XORQ CX, CX

fourrows:
	VBROADCASTSS (R10)(CX*4), Z4
	VMULPS 0(AX), Z4, Z5
	VSUBPS Z5, Z0, Z0
	VMULPS 64(AX), Z4, Z5
	VSUBPS Z5, Z1, Z1
	VMULPS 128(AX), Z4, Z5
	VSUBPS Z5, Z2, Z2
	VMULPS 192(AX), Z4, Z5
	VSUBPS Z5, Z3, Z3
	ADDQ R9, AX
	INCQ CX
	CMPQ CX, R11
	JLT  fourrows
	VMOVUPS Z0, 0(SI)
	VMOVUPS Z1, 64(SI)
	VMOVUPS Z2, 128(SI)
	VMOVUPS Z3, 192(SI)
	ADDQ $256, SI
	ADDQ $256, DI
	SUBQ $64, R8
	JMP  four

one:
	TESTQ R8, R8
	JZ    done
	VMOVUPS (SI), Z0
	MOVQ DI, AX
	XORQ CX, CX

rows:
	VBROADCASTSS (R10)(CX*4), Z4
	VMULPS (AX), Z4, Z5
	VSUBPS Z5, Z0, Z0
	ADDQ R9, AX
	INCQ CX
	CMPQ CX, R11
	JLT  rows
	VMOVUPS Z0, (SI)
	ADDQ $64, SI
	ADDQ $64, DI
	SUBQ $16, R8
	JMP  one

done:
	VZEROUPPER
	RET

// func subtract2(n int, y, rows *float32, stride int, by *float32, count int)
// 32 elements at a time, then 8; n is a multiple of that.
TEXT ·subtract2(SB), NOSPLIT, $0-48
	MOVQ n+0(FP), R8
	MOVQ y+8(FP), SI
	MOVQ rows+16(FP), DI
	MOVQ stride+24(FP), R9
	MOVQ by+32(FP), R10
	MOVQ count+40(FP), R11

four:
	CMPQ R8, $32
	JLT  one
	VMOVUPS 0(SI), Y0
	VMOVUPS 32(SI), Y1
	VMOVUPS 64(SI), Y2
	VMOVUPS 96(SI), Y3
	MOVQ DI, AX
	XORQ CX, CX

fourrows:
	VBROADCASTSS (R10)(CX*4), Y4
	VMULPS 0(AX), Y4, Y5
	VSUBPS Y5, Y0, Y0
	VMULPS 32(AX), Y4, Y5
	VSUBPS Y5, Y1, Y1
	VMULPS 64(AX), Y4, Y5
	VSUBPS Y5, Y2, Y2
	VMULPS 96(AX), Y4, Y5
	VSUBPS Y5, Y3, Y3
	ADDQ R9, AX
	INCQ CX
	CMPQ CX, R11
	JLT  fourrows
	VMOVUPS Y0, 0(SI)
	VMOVUPS Y1, 32(SI)
	VMOVUPS Y2, 64(SI)
	VMOVUPS Y3, 96(SI)
	ADDQ $128, SI
	ADDQ $128, DI
	SUBQ $32, R8
	JMP  four

one:
	TESTQ R8, R8
	JZ    done
	VMOVUPS (SI), Y0
	MOVQ DI, AX
	XORQ CX, CX

rows:
	VBROADCASTSS (R10)(CX*4), Y4
	VMULPS (AX), Y4, Y5
	VSUBPS Y5, Y0, Y0
	ADDQ R9, AX
	INCQ CX
	CMPQ CX, R11
	JLT  rows
	VMOVUPS Y0, (SI)
	ADDQ $32, SI
	ADDQ $32, DI
	SUBQ $8, R8
	JMP  one

done:
	VZEROUPPER
	RET
