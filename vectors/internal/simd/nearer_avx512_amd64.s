//go:build amd64 && !noasm

#include "textflag.h"
#include "numbers_amd64.h"

// What is near among a row's sums, by AVX-512; see codes.go for what each function
// computes.

// DISTANCES sets Z1 to the squared distances of 16 columns from CX on, of which SI
// has the sums and DX the norms; Z30 is add.
#define DISTANCES \
	VMOVDQU32 (SI)(CX*4), Z0; \
	VPADDD    Z0, Z0, Z0; \
	VPADDD    (DX)(CX*4), Z30, Z1; \
	VPSUBD    Z0, Z1, Z1

// KEEP appends those of K1, with their ids from R9, to the BX there are at R10 and
// R11.
#define KEEP \
	KMOVW     K1, AX; \
	VMOVDQU32 (R9)(CX*4), Z2; \
	VPCOMPRESSD Z1, K1, Z3; \
	VPCOMPRESSD Z2, K1, Z4; \
	VMOVDQU32 Z3, (R10)(BX*4); \
	VMOVDQU32 Z4, (R11)(BX*4); \
	POPCNTL   AX, AX; \
	ADDQ      AX, BX

// func nearer512(rows, n int, c *int32, ldc int, norms, adds, bounds, ids, d, outIDs *uint32, ldo int, counts *uint32)
//	SI c   R8 columns left   DX norms   R9 ids   R10 d   R11 outIDs
//	BX found   CX column   DI rows left   R13 adds   R14 bounds   R15 counts
// It does not branch on what it finds: about every second vector has something.
TEXT ·nearer512(SB), NOSPLIT, $0-96
	MOVQ rows+0(FP), DI
	MOVQ c+16(FP), SI
	MOVQ norms+32(FP), DX
	MOVQ adds+40(FP), R13
	MOVQ bounds+48(FP), R14
	MOVQ ids+56(FP), R9
	MOVQ d+64(FP), R10
	MOVQ outIDs+72(FP), R11
	MOVQ counts+88(FP), R15
	MOVL $0xFFFF, R12

row:
	MOVQ  n+8(FP), R8
	VPBROADCASTD (R13), Z30
	VPBROADCASTD (R14), Z31
	XORQ  BX, BX
	XORQ  CX, CX
	KMOVW R12, K2

loop:
	CMPQ  R8, $16
	JGE   full
	TESTQ R8, R8
	JLE   end
	BZHIL R8, R12, AX
	KMOVW AX, K2

full:
	DISTANCES
	VPCMPUD   $2, Z31, Z1, K2, K1
	KEEP
	ADDQ $16, CX
	SUBQ $16, R8
	JMP  loop

end:
	MOVL BX, (R15)
	ADDQ $4, R13
	ADDQ $4, R14
	ADDQ $4, R15
	MOVQ ldc+24(FP), AX
	LEAQ (SI)(AX*4), SI
	MOVQ ldo+80(FP), AX
	LEAQ (R10)(AX*4), R10
	LEAQ (R11)(AX*4), R11
	DECQ DI
	JNZ  row
	VZEROUPPER
	RET

// func either512(n int, c *int32, norms *uint32, add, bound uint32, bounds, ids, d, outIDs *uint32) int
// It branches on what it finds: in all pairs of many rows there is hardly any.
TEXT ·either512(SB), NOSPLIT, $0-72
	MOVQ n+0(FP), R8
	MOVQ c+8(FP), SI
	MOVQ norms+16(FP), DX
	MOVL add+24(FP), AX
	VPBROADCASTD AX, Z30
	MOVL bound+28(FP), AX
	VPBROADCASTD AX, Z31
	MOVQ bounds+32(FP), R13
	MOVQ ids+40(FP), R9
	MOVQ d+48(FP), R10
	MOVQ outIDs+56(FP), R11
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
	DISTANCES
	VPMAXUD   (R13)(CX*4), Z31, Z2
	VPCMPUD   $2, Z2, Z1, K2, K1
	KORTESTW  K1, K1
	JZ        next
	KEEP

next:
	ADDQ $16, CX
	SUBQ $16, R8
	JMP  loop

done:
	MOVQ BX, ret+64(FP)
	VZEROUPPER
	RET

// BELOW counts, in Z6 and Z7, the classes above the one at SI. Z8 is -1.
#define BELOW(at) \
	VPCMPUD.BCST $6, at(SI), Z4, K1; \
	VPCMPUD.BCST $6, at(SI), Z5, K2; \
	VPSUBD Z8, Z6, K1, Z6; \
	VPSUBD Z8, Z7, K2, Z7

// TOGETHER sets AX to the smallest, or the largest, of the lanes of Z4.
#define TOGETHER(LESS) \
	VEXTRACTI64X4 $1, Z4, Y5; \
	LESS Y5, Y4, Y4; \
	VEXTRACTI128 $1, Y4, X5; \
	LESS X5, X4, X4; \
	VPSHUFD $0x4E, X4, X5; \
	LESS X5, X4, X4; \
	VPSHUFD $0xB1, X4, X5; \
	LESS X5, X4, X4; \
	VMOVD X4, AX

// func bound512(c *int32, n int, norms *uint32, add uint32, k int) uint32
// The smallest distances of 32 classes of columns, then the k-th of these: the
// largest one that fewer than k are below.
TEXT ·bound512(SB), NOSPLIT, $128-44
	MOVQ c+0(FP), SI
	MOVQ n+8(FP), R8
	MOVQ norms+16(FP), DX
	MOVL add+24(FP), AX
	VPBROADCASTD AX, Z30
	VPTERNLOGD $0xFF, Z4, Z4, Z4
	VMOVDQA64 Z4, Z5
	XORQ CX, CX
	MOVL $0xFFFF, R12
	KMOVW R12, K2

loop:
	CMPQ R8, $16
	JGE  full
	TESTQ R8, R8
	JLE  minima
	BZHIL R8, R12, R12
	KMOVW R12, K2

full:
	DISTANCES
	VPMINUD Z1, Z4, K2, Z4
	// The two halves take turns.
	VMOVDQA64 Z4, Z6
	VMOVDQA64 Z5, Z4
	VMOVDQA64 Z6, Z5
	ADDQ $16, CX
	SUBQ $16, R8
	JMP  loop

minima:
	MOVQ k+32(FP), R8
	CMPQ R8, $1
	JEQ  smallest
	VMOVDQU32 Z4, minima-128(SP)
	VMOVDQU32 Z5, minima-64(SP)
	VPXORD Z6, Z6, Z6
	VPXORD Z7, Z7, Z7
	VPTERNLOGD $0xFF, Z8, Z8, Z8
	VPBROADCASTD R8, Z9
	LEAQ minima-128(SP), SI
	MOVQ $16, CX

below:
	BELOW(0)
	BELOW(4)
	ADDQ $8, SI
	DECQ CX
	JNZ  below
	VPCMPUD $1, Z9, Z6, K1
	VPCMPUD $1, Z9, Z7, K2
	VMOVDQA32.Z Z4, K1, Z4
	VMOVDQA32.Z Z5, K2, Z5
	VPMAXUD Z5, Z4, Z4
	TOGETHER(VPMAXUD)
	MOVL AX, ret+40(FP)
	VZEROUPPER
	RET

smallest:
	VPMINUD Z5, Z4, Z4
	TOGETHER(VPMINUD)
	MOVL AX, ret+40(FP)
	VZEROUPPER
	RET

// LEAST leaves in every lane of z the smallest of its lanes. t is scratch.
#define LEAST(z, t) \
	VSHUFI32X4 $0x4E, z, z, t; \
	VPMINUD    t, z, z; \
	VSHUFI32X4 $0xB1, z, z, t; \
	VPMINUD    t, z, z; \
	VPSHUFD    $0x4E, z, t; \
	VPMINUD    t, z, z; \
	VPSHUFD    $0xB1, z, t; \
	VPMINUD    t, z, z

// func first512(rows, n int, c *int32, ldc int, norms, adds, out *uint32)
// Every lane keeps its smallest distance and whose it is, in Z2 and Z3.
//	SI c   R8 columns left   DX norms   R13 adds   R15 out   DI rows left   CX column
TEXT ·first512(SB), NOSPLIT, $0-56
	MOVQ rows+0(FP), DI
	MOVQ c+16(FP), SI
	MOVQ ldc+24(FP), R9
	MOVQ norms+32(FP), DX
	MOVQ adds+40(FP), R13
	MOVQ out+48(FP), R15
	MOVL $0xFFFF, R12
	MOVL $16, AX
	VPBROADCASTD AX, Z29
	VMOVDQU32 numbers<>(SB), Z28
	VPTERNLOGD $0xFF, Z27, Z27, Z27

row:
	MOVQ  n+8(FP), R8
	VPBROADCASTD (R13), Z30
	VMOVDQA32 Z27, Z2
	VPXORD Z3, Z3, Z3
	VMOVDQA32 Z28, Z4
	XORQ  CX, CX
	KMOVW R12, K2

loop:
	CMPQ  R8, $16
	JGE   full
	TESTQ R8, R8
	JLE   end
	BZHIL R8, R12, AX
	KMOVW AX, K2

full:
	DISTANCES
	VPCMPUD   $1, Z2, Z1, K2, K1
	VMOVDQA32 Z1, K1, Z2
	VMOVDQA32 Z4, K1, Z3
	VPADDD    Z29, Z4, Z4
	ADDQ $16, CX
	SUBQ $16, R8
	JMP  loop

end:
	VMOVDQA32 Z2, Z5
	LEAST(Z5, Z6)
	VPCMPEQD  Z5, Z2, K1
	VMOVDQA32 Z27, Z7
	VMOVDQA32 Z3, K1, Z7
	LEAST(Z7, Z6)
	VMOVD X7, (R15)
	ADDQ $4, R13
	ADDQ $4, R15
	LEAQ (SI)(R9*4), SI
	DECQ DI
	JNZ  row
	VZEROUPPER
	RET
