//go:build amd64 && !noasm

#include "textflag.h"

// One row against many, AVX-512. Every kernel walks the ids in order:
//
//	SI x   DX base   R8 stride   R9 dim   R10 ids   R11 rows left   R12 out
//	R13 whole blocks of a row    K1 mask of the elements after them
//	AX, DI run through x and the row; CX counts blocks
//
// Rows four ids ahead are prefetched: random rows cost a cache miss each, and
// four of them in flight hide most of it. Kernels for long rows, of floats, take two
// at a time instead, and ask for the next two line by line; see TWOROWS.

#define ARGS \
	MOVQ x+0(FP), SI; \
	MOVQ base+8(FP), DX; \
	MOVQ stride+16(FP), R8; \
	MOVQ dim+24(FP), R9; \
	MOVQ ids+32(FP), R10; \
	MOVQ n+40(FP), R11; \
	MOVQ out+48(FP), R12

// TAIL32 and TAIL16 split dim into R13 blocks and the mask K1.
#define TAIL32 \
	MOVQ R9, CX; \
	ANDQ $31, CX; \
	MOVL $1, AX; \
	SHLL CX, AX; \
	DECL AX; \
	KMOVD AX, K1; \
	MOVQ R9, R13; \
	SHRQ $5, R13; \
	ANDQ $31, R9

#define TAIL16 \
	MOVQ R9, CX; \
	ANDQ $15, CX; \
	MOVL $1, AX; \
	SHLL CX, AX; \
	DECL AX; \
	KMOVD AX, K1; \
	MOVQ R9, R13; \
	SHRQ $4, R13; \
	ANDQ $15, R9

// ROW points DI at the next row; AHEAD prefetches the row four ids on.
#define ROW \
	MOVL (R10), DI; \
	IMULQ R8, DI; \
	ADDQ DX, DI; \
	MOVQ SI, AX; \
	MOVQ R13, CX

#define AHEAD \
	MOVL 16(R10), BX; \
	IMULQ R8, BX; \
	PREFETCHT0 (DX)(BX*1); \
	PREFETCHT0 64(DX)(BX*1); \
	PREFETCHT0 128(DX)(BX*1); \
	PREFETCHT0 192(DX)(BX*1)

// SUMD adds up the 16 dwords of Z0 into X0.
#define SUMD \
	VEXTRACTI64X4 $1, Z0, Y1; \
	VPADDD Y1, Y0, Y0; \
	VEXTRACTI128 $1, Y0, X1; \
	VPADDD X1, X0, X0; \
	VPSHUFD $0x4E, X0, X1; \
	VPADDD X1, X0, X0; \
	VPSHUFD $0xB1, X0, X1; \
	VPADDD X1, X0, X0

// SUMQ adds up the lanes, 0-7 in Z0 and 8-15 in Z1, in halves into X0.
#define SUMQ \
	VADDPD Z1, Z0, Z0; \
	VEXTRACTF64X4 $1, Z0, Y1; \
	VADDPD Y1, Y0, Y0; \
	VEXTRACTF128 $1, Y0, X1; \
	VADDPD X1, X0, X0; \
	VPERMILPD $1, X0, X1; \
	VADDSD X1, X0, X0

// PRODUCTLANES adds the products of Z2 and Z3 to the lanes.
#define PRODUCTLANES \
	VCVTPS2PD Y2, Z4; \
	VCVTPS2PD Y3, Z6; \
	VEXTRACTF64X4 $1, Z2, Y5; \
	VEXTRACTF64X4 $1, Z3, Y7; \
	VCVTPS2PD Y5, Z5; \
	VCVTPS2PD Y7, Z7; \
	VFMADD231PD Z6, Z4, Z0; \
	VFMADD231PD Z7, Z5, Z1

// TWOROWS is a kernel that takes two rows at a time, at DI and BX; of a last one that is
// alone both are the same. Both share what is read of x, and R14 and R15 run through the
// two rows after them: what is asked for all at once waits for the few misses that a core
// has under way, while nothing is computed. AX counts bytes of a row, step of them a block;
// block adds one to the lanes Z0 and Z1, Z8 and Z9, tail what is left by K1.
#define TWOROWS(step, block, tail) \
	ARGS; \
	TAIL16; \
	IMULQ $step, R13; \
rows: \
	TESTQ R11, R11; \
	JZ    done; \
	ROWAT(0, DI); \
	MOVQ  DI, BX; \
	MOVQ  DI, R14; \
	MOVQ  DI, R15; \
	CMPQ  R11, $2; \
	JLT   ready; \
	ROWAT(4, BX); \
	JEQ   ready; \
	ROWAT(8, R14); \
	CMPQ  R11, $4; \
	JLT   ready; \
	ROWAT(12, R15); \
ready: \
	VPXORQ Z0, Z0, Z0; \
	VPXORQ Z1, Z1, Z1; \
	VPXORQ Z8, Z8, Z8; \
	VPXORQ Z9, Z9, Z9; \
	XORQ   AX, AX; \
	TESTQ  R13, R13; \
	JZ     rest; \
blocks: \
	block; \
	PREFETCHT0 (R14)(AX*1); \
	PREFETCHT0 (R15)(AX*1); \
	ADDQ $step, AX; \
	CMPQ AX, R13; \
	JLT  blocks; \
rest: \
	TESTQ R9, R9; \
	JZ    sums; \
	tail; \
sums: \
	SUMQ; \
	VMOVSD X0, (R12); \
	DECQ   R11; \
	JZ     done; \
	VMOVAPD Z8, Z0; \
	VMOVAPD Z9, Z1; \
	SUMQ; \
	VMOVSD X0, 8(R12); \
	DECQ   R11; \
	ADDQ   $8, R10; \
	ADDQ   $16, R12; \
	JMP    rows; \
done: \
	VZEROUPPER; \
	RET

// ROWAT points at the row whose id is so many bytes on.
#define ROWAT(at, row) \
	MOVL  at(R10), row; \
	IMULQ R8, row; \
	ADDQ  DX, row

// SQUARED adds the squares of what two rows, as float32 in Z3 and Z4, differ by from x in Z2.
#define SQUARED \
	VSUBPS Z3, Z2, Z3; \
	VSUBPS Z4, Z2, Z4; \
	VEXTRACTF64X4 $1, Z3, Y6; \
	VEXTRACTF64X4 $1, Z4, Y7; \
	VCVTPS2PD Y3, Z3; \
	VCVTPS2PD Y4, Z4; \
	VCVTPS2PD Y6, Z6; \
	VCVTPS2PD Y7, Z7; \
	VFMADD231PD Z3, Z3, Z0; \
	VFMADD231PD Z6, Z6, Z1; \
	VFMADD231PD Z4, Z4, Z8; \
	VFMADD231PD Z7, Z7, Z9

// DOTTED adds the products of x and two rows.
#define DOTTED \
	VEXTRACTF64X4 $1, Z2, Y5; \
	VEXTRACTF64X4 $1, Z3, Y6; \
	VEXTRACTF64X4 $1, Z4, Y7; \
	VCVTPS2PD Y2, Z2; \
	VCVTPS2PD Y5, Z5; \
	VCVTPS2PD Y3, Z3; \
	VCVTPS2PD Y4, Z4; \
	VCVTPS2PD Y6, Z6; \
	VCVTPS2PD Y7, Z7; \
	MULTIPLIED

#define MULTIPLIED \
	VFMADD231PD Z3, Z2, Z0; \
	VFMADD231PD Z6, Z5, Z1; \
	VFMADD231PD Z4, Z2, Z8; \
	VFMADD231PD Z7, Z5, Z9

// WIDE widens floats as they are read: a register's upper half takes a shuffle.
#define WIDE \
	VCVTPS2PD (SI)(AX*1), Z2; \
	VCVTPS2PD 32(SI)(AX*1), Z5; \
	VCVTPS2PD (DI)(AX*1), Z3; \
	VCVTPS2PD 32(DI)(AX*1), Z6; \
	VCVTPS2PD (BX)(AX*1), Z4; \
	VCVTPS2PD 32(BX)(AX*1), Z7

#define FLOATS \
	VMOVUPS (SI)(AX*1), Z2; \
	VMOVUPS (DI)(AX*1), Z3; \
	VMOVUPS (BX)(AX*1), Z4

#define LASTFLOATS \
	VMOVUPS.Z (SI)(AX*1), K1, Z2; \
	VMOVUPS.Z (DI)(AX*1), K1, Z3; \
	VMOVUPS.Z (BX)(AX*1), K1, Z4

#define HALVES \
	VCVTPH2PS (SI)(AX*1), Z2; \
	VCVTPH2PS (DI)(AX*1), Z3; \
	VCVTPH2PS (BX)(AX*1), Z4

#define LASTHALVES \
	VMOVDQU16.Z (SI)(AX*1), K1, Y2; \
	VMOVDQU16.Z (DI)(AX*1), K1, Y3; \
	VMOVDQU16.Z (BX)(AX*1), K1, Y4; \
	VCVTPH2PS Y2, Z2; \
	VCVTPH2PS Y3, Z3; \
	VCVTPH2PS Y4, Z4

// out[j] = sum over i of (x[i]-row[i])^2, uint8, 32 elements a block
TEXT ·squaredU8AVX512(SB), NOSPLIT, $0-56
	ARGS
	TAIL32

row:
	TESTQ R11, R11
	JZ    done
	CMPQ  R11, $5
	JLT   near
	AHEAD

near:
	ROW
	VPXORQ Z0, Z0, Z0
	TESTQ  CX, CX
	JZ     tail

block:
	VPMOVZXBW (AX), Z2
	VPMOVZXBW (DI), Z3
	VPSUBW Z3, Z2, Z2
	VPMADDWD Z2, Z2, Z2
	VPADDD Z2, Z0, Z0
	ADDQ   $32, AX
	ADDQ   $32, DI
	DECQ   CX
	JNZ    block

tail:
	TESTQ R9, R9
	JZ    sum
	VMOVDQU8.Z (AX), K1, Y2
	VMOVDQU8.Z (DI), K1, Y3
	VPMOVZXBW Y2, Z2
	VPMOVZXBW Y3, Z3
	VPSUBW Z3, Z2, Z2
	VPMADDWD Z2, Z2, Z2
	VPADDD Z2, Z0, Z0

sum:
	SUMD
	VMOVD X0, (R12)
	ADDQ  $4, R10
	ADDQ  $4, R12
	DECQ  R11
	JMP   row

done:
	VZEROUPPER
	RET

// out[j] = sum over i of x[i]*row[i], uint8
TEXT ·dotU8AVX512(SB), NOSPLIT, $0-56
	ARGS
	TAIL32

row:
	TESTQ R11, R11
	JZ    done
	CMPQ  R11, $5
	JLT   near
	AHEAD

near:
	ROW
	VPXORQ Z0, Z0, Z0
	TESTQ  CX, CX
	JZ     tail

block:
	VPMOVZXBW (AX), Z2
	VPMOVZXBW (DI), Z3
	VPMADDWD Z3, Z2, Z2
	VPADDD Z2, Z0, Z0
	ADDQ   $32, AX
	ADDQ   $32, DI
	DECQ   CX
	JNZ    block

tail:
	TESTQ R9, R9
	JZ    sum
	VMOVDQU8.Z (AX), K1, Y2
	VMOVDQU8.Z (DI), K1, Y3
	VPMOVZXBW Y2, Z2
	VPMOVZXBW Y3, Z3
	VPMADDWD Z3, Z2, Z2
	VPADDD Z2, Z0, Z0

sum:
	SUMD
	VMOVD X0, (R12)
	ADDQ  $4, R10
	ADDQ  $4, R12
	DECQ  R11
	JMP   row

done:
	VZEROUPPER
	RET

// out[j] = sum over i of (x[i]-row[i])^2, int8
TEXT ·squaredI8AVX512(SB), NOSPLIT, $0-56
	ARGS
	TAIL32

row:
	TESTQ R11, R11
	JZ    done
	CMPQ  R11, $5
	JLT   near
	AHEAD

near:
	ROW
	VPXORQ Z0, Z0, Z0
	TESTQ  CX, CX
	JZ     tail

block:
	VPMOVSXBW (AX), Z2
	VPMOVSXBW (DI), Z3
	VPSUBW Z3, Z2, Z2
	VPMADDWD Z2, Z2, Z2
	VPADDD Z2, Z0, Z0
	ADDQ   $32, AX
	ADDQ   $32, DI
	DECQ   CX
	JNZ    block

tail:
	TESTQ R9, R9
	JZ    sum
	VMOVDQU8.Z (AX), K1, Y2
	VMOVDQU8.Z (DI), K1, Y3
	VPMOVSXBW Y2, Z2
	VPMOVSXBW Y3, Z3
	VPSUBW Z3, Z2, Z2
	VPMADDWD Z2, Z2, Z2
	VPADDD Z2, Z0, Z0

sum:
	SUMD
	VMOVD X0, (R12)
	ADDQ  $4, R10
	ADDQ  $4, R12
	DECQ  R11
	JMP   row

done:
	VZEROUPPER
	RET

// out[j] = sum over i of x[i]*row[i], int8
TEXT ·dotI8AVX512(SB), NOSPLIT, $0-56
	ARGS
	TAIL32

row:
	TESTQ R11, R11
	JZ    done
	CMPQ  R11, $5
	JLT   near
	AHEAD

near:
	ROW
	VPXORQ Z0, Z0, Z0
	TESTQ  CX, CX
	JZ     tail

block:
	VPMOVSXBW (AX), Z2
	VPMOVSXBW (DI), Z3
	VPMADDWD Z3, Z2, Z2
	VPADDD Z2, Z0, Z0
	ADDQ   $32, AX
	ADDQ   $32, DI
	DECQ   CX
	JNZ    block

tail:
	TESTQ R9, R9
	JZ    sum
	VMOVDQU8.Z (AX), K1, Y2
	VMOVDQU8.Z (DI), K1, Y3
	VPMOVSXBW Y2, Z2
	VPMOVSXBW Y3, Z3
	VPMADDWD Z3, Z2, Z2
	VPADDD Z2, Z0, Z0

sum:
	SUMD
	VMOVD X0, (R12)
	ADDQ  $4, R10
	ADDQ  $4, R12
	DECQ  R11
	JMP   row

done:
	VZEROUPPER
	RET

// out[j] = sum over i of float32(x[i]-row[i])^2, float32, 16 elements a block
TEXT ·squaredF32AVX512(SB), NOSPLIT, $0-56
	TWOROWS(64, FLOATS; SQUARED, LASTFLOATS; SQUARED)

// out[j] = sum over i of x[i]*row[i], float32
TEXT ·dotF32AVX512(SB), NOSPLIT, $0-56
	TWOROWS(64, WIDE; MULTIPLIED, LASTFLOATS; DOTTED)

// out[j] = sum over i of float32(x[i]-row[i])^2, float16
TEXT ·squaredF16AVX512(SB), NOSPLIT, $0-56
	TWOROWS(32, HALVES; SQUARED, LASTHALVES; SQUARED)

// out[j] = sum over i of x[i]*row[i], float16
TEXT ·dotF16AVX512(SB), NOSPLIT, $0-56
	TWOROWS(32, HALVES; DOTTED, LASTHALVES; DOTTED)

// out[j] = sum over i of x[i]*row[i], x float32, rows float16
TEXT ·dotF32F16AVX512(SB), NOSPLIT, $0-56
	ARGS
	TAIL16

row:
	TESTQ R11, R11
	JZ    done
	CMPQ  R11, $5
	JLT   near
	AHEAD

near:
	ROW
	VPXORQ Z0, Z0, Z0
	VPXORQ Z1, Z1, Z1
	TESTQ  CX, CX
	JZ     tail

block:
	VMOVUPS (AX), Z2
	VCVTPH2PS (DI), Z3
	PRODUCTLANES
	ADDQ $64, AX
	ADDQ $32, DI
	DECQ CX
	JNZ  block

tail:
	TESTQ R9, R9
	JZ    sum
	VMOVUPS.Z (AX), K1, Z2
	VMOVDQU16.Z (DI), K1, Y3
	VCVTPH2PS Y3, Z3
	PRODUCTLANES

sum:
	SUMQ
	VMOVSD X0, (R12)
	ADDQ   $4, R10
	ADDQ   $8, R12
	DECQ   R11
	JMP    row

done:
	VZEROUPPER
	RET

// out[j] = sum over i of x[i]*row[i], x float32, rows uint8
TEXT ·dotF32U8AVX512(SB), NOSPLIT, $0-56
	ARGS
	TAIL16

row:
	TESTQ R11, R11
	JZ    done
	CMPQ  R11, $5
	JLT   near
	AHEAD

near:
	ROW
	VPXORQ Z0, Z0, Z0
	VPXORQ Z1, Z1, Z1
	TESTQ  CX, CX
	JZ     tail

block:
	VMOVUPS (AX), Z2
	VPMOVZXBD (DI), Z3
	VCVTDQ2PS Z3, Z3
	PRODUCTLANES
	ADDQ $64, AX
	ADDQ $16, DI
	DECQ CX
	JNZ  block

tail:
	TESTQ R9, R9
	JZ    sum
	VMOVUPS.Z (AX), K1, Z2
	VMOVDQU8.Z (DI), K1, X3
	VPMOVZXBD X3, Z3
	VCVTDQ2PS Z3, Z3
	PRODUCTLANES

sum:
	SUMQ
	VMOVSD X0, (R12)
	ADDQ   $4, R10
	ADDQ   $8, R12
	DECQ   R11
	JMP    row

done:
	VZEROUPPER
	RET

// out[j] = sum over i of x[i]*row[i], x float32, rows int8
TEXT ·dotF32I8AVX512(SB), NOSPLIT, $0-56
	ARGS
	TAIL16

row:
	TESTQ R11, R11
	JZ    done
	CMPQ  R11, $5
	JLT   near
	AHEAD

near:
	ROW
	VPXORQ Z0, Z0, Z0
	VPXORQ Z1, Z1, Z1
	TESTQ  CX, CX
	JZ     tail

block:
	VMOVUPS (AX), Z2
	VPMOVSXBD (DI), Z3
	VCVTDQ2PS Z3, Z3
	PRODUCTLANES
	ADDQ $64, AX
	ADDQ $16, DI
	DECQ CX
	JNZ  block

tail:
	TESTQ R9, R9
	JZ    sum
	VMOVUPS.Z (AX), K1, Z2
	VMOVDQU8.Z (DI), K1, X3
	VPMOVSXBD X3, Z3
	VCVTDQ2PS Z3, Z3
	PRODUCTLANES

sum:
	SUMQ
	VMOVSD X0, (R12)
	ADDQ   $4, R10
	ADDQ   $8, R12
	DECQ   R11
	JMP    row

done:
	VZEROUPPER
	RET
