//go:build amd64 && !noasm

#include "textflag.h"

// One row of packed bits against many, AVX-512 with VPOPCNTDQ:
//
//	SI x   DX base   R8 stride   R9 bytes after whole blocks   R10 ids   R11 rows left   R12 out
//	R13 blocks of 64 bytes   K1 mask of the bytes after them
//	AX, DI run through x and the row; CX counts blocks

// BITS is a kernel that counts the bits that combine leaves of Z1 and Z2 in Z1.
#define BITS(combine) \
	MOVQ x+0(FP), SI; \
	MOVQ base+8(FP), DX; \
	MOVQ stride+16(FP), R8; \
	MOVQ dim+24(FP), R9; \
	MOVQ ids+32(FP), R10; \
	MOVQ n+40(FP), R11; \
	MOVQ out+48(FP), R12; \
	MOVQ R9, R13; \
	SHRQ $6, R13; \
	ANDQ $63, R9; \
	MOVQ R9, CX; \
	MOVQ $1, AX; \
	SHLQ CX, AX; \
	DECQ AX; \
	KMOVQ AX, K1; \
row: \
	CMPQ R11, $5; \
	JLT  near; \
	MOVL 16(R10), BX; \
	IMULQ R8, BX; \
	PREFETCHT0 (DX)(BX*1); \
	PREFETCHT0 64(DX)(BX*1); \
	PREFETCHT0 128(DX)(BX*1); \
	PREFETCHT0 192(DX)(BX*1); \
near: \
	MOVL  (R10), DI; \
	IMULQ R8, DI; \
	ADDQ  DX, DI; \
	MOVQ  SI, AX; \
	MOVQ  R13, CX; \
	VPXORQ Z0, Z0, Z0; \
	TESTQ CX, CX; \
	JZ    tail; \
block: \
	VMOVDQU64 (AX), Z1; \
	VMOVDQU64 (DI), Z2; \
	combine; \
	VPOPCNTQ Z1, Z1; \
	VPADDQ Z1, Z0, Z0; \
	ADDQ $64, AX; \
	ADDQ $64, DI; \
	DECQ CX; \
	JNZ  block; \
tail: \
	TESTQ R9, R9; \
	JZ    sum; \
	VMOVDQU8.Z (AX), K1, Z1; \
	VMOVDQU8.Z (DI), K1, Z2; \
	combine; \
	VPOPCNTQ Z1, Z1; \
	VPADDQ Z1, Z0, Z0; \
sum: \
	VEXTRACTI64X4 $1, Z0, Y1; \
	VPADDQ Y1, Y0, Y0; \
	VEXTRACTI128 $1, Y0, X1; \
	VPADDQ X1, X0, X0; \
	VPSHUFD $0x4E, X0, X1; \
	VPADDQ X1, X0, X0; \
	VMOVD X0, (R12); \
	ADDQ $4, R10; \
	ADDQ $4, R12; \
	DECQ R11; \
	JNZ  row; \
	VZEROUPPER; \
	RET

#define DIFFER VPXORQ Z2, Z1, Z1

#define BOTH VPANDQ Z2, Z1, Z1

// out[j] = bits that differ between x and the row; n > 0
TEXT ·differAVX512(SB), NOSPLIT, $0-56
	BITS(DIFFER)

// out[j] = bits that x and the row both have; n > 0
TEXT ·bothAVX512(SB), NOSPLIT, $0-56
	BITS(BOTH)
