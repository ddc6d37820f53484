// Macros of the tiles, whose products are of bytes or of floats: what is left of
// a kernel is how one step multiplies.

// Eight rows of AVX-512: the list at DI, their places in R8 to R15, their sums
// against three panels in Z0 to Z23, against one in Z0 to Z7. AX is where a row's
// sums go and DX how far it is to the next row's.

#define ROWS8 \
	MOVQ 0(DI), R8; \
	MOVQ 8(DI), R9; \
	MOVQ 16(DI), R10; \
	MOVQ 24(DI), R11; \
	MOVQ 32(DI), R12; \
	MOVQ 40(DI), R13; \
	MOVQ 48(DI), R14; \
	MOVQ 56(DI), R15

#define CLEAR8 \
	VPXORD Z0, Z0, Z0; \
	VPXORD Z1, Z1, Z1; \
	VPXORD Z2, Z2, Z2; \
	VPXORD Z3, Z3, Z3; \
	VPXORD Z4, Z4, Z4; \
	VPXORD Z5, Z5, Z5; \
	VPXORD Z6, Z6, Z6; \
	VPXORD Z7, Z7, Z7

#define CLEAR24 \
	CLEAR8; \
	VPXORD Z8, Z8, Z8; \
	VPXORD Z9, Z9, Z9; \
	VPXORD Z10, Z10, Z10; \
	VPXORD Z11, Z11, Z11; \
	VPXORD Z12, Z12, Z12; \
	VPXORD Z13, Z13, Z13; \
	VPXORD Z14, Z14, Z14; \
	VPXORD Z15, Z15, Z15; \
	VPXORD Z16, Z16, Z16; \
	VPXORD Z17, Z17, Z17; \
	VPXORD Z18, Z18, Z18; \
	VPXORD Z19, Z19, Z19; \
	VPXORD Z20, Z20, Z20; \
	VPXORD Z21, Z21, Z21; \
	VPXORD Z22, Z22, Z22; \
	VPXORD Z23, Z23, Z23

// STEPS24 and STEPS8 are a step of every row: step(row, its sums, scratch) adds
// products with three panels or with one. Scratch takes turns, so that a step
// need not wait for the one before it.
#define STEPS24(step) \
	step(R8, Z0, Z1, Z2, Z27); \
	step(R9, Z3, Z4, Z5, Z28); \
	step(R10, Z6, Z7, Z8, Z29); \
	step(R11, Z9, Z10, Z11, Z30); \
	step(R12, Z12, Z13, Z14, Z27); \
	step(R13, Z15, Z16, Z17, Z28); \
	step(R14, Z18, Z19, Z20, Z29); \
	step(R15, Z21, Z22, Z23, Z30)

#define STEPS8(step) \
	step(R8, Z0, Z16); \
	step(R9, Z1, Z17); \
	step(R10, Z2, Z18); \
	step(R11, Z3, Z19); \
	step(R12, Z4, Z20); \
	step(R13, Z5, Z21); \
	step(R14, Z6, Z22); \
	step(R15, Z7, Z23)

#define PUT3(a, b, c) \
	VMOVUPS a, (AX); \
	VMOVUPS b, 64(AX); \
	VMOVUPS c, 128(AX); \
	ADDQ DX, AX

#define PUT24 \
	PUT3(Z0, Z1, Z2); \
	PUT3(Z3, Z4, Z5); \
	PUT3(Z6, Z7, Z8); \
	PUT3(Z9, Z10, Z11); \
	PUT3(Z12, Z13, Z14); \
	PUT3(Z15, Z16, Z17); \
	PUT3(Z18, Z19, Z20); \
	PUT3(Z21, Z22, Z23)

#define PUT1(a) \
	VMOVUPS a, (AX); \
	ADDQ DX, AX

#define PUT8 \
	PUT1(Z0); \
	PUT1(Z1); \
	PUT1(Z2); \
	PUT1(Z3); \
	PUT1(Z4); \
	PUT1(Z5); \
	PUT1(Z6); \
	PUT1(Z7)

// Four rows of AVX2 against one panel: their places in R8 to R11, their sums in
// Y0 to Y7, two registers a row.

#define ROWS4 \
	MOVQ 0(DI), R8; \
	MOVQ 8(DI), R9; \
	MOVQ 16(DI), R10; \
	MOVQ 24(DI), R11

#define CLEAR4 \
	VPXOR Y0, Y0, Y0; \
	VPXOR Y1, Y1, Y1; \
	VPXOR Y2, Y2, Y2; \
	VPXOR Y3, Y3, Y3; \
	VPXOR Y4, Y4, Y4; \
	VPXOR Y5, Y5, Y5; \
	VPXOR Y6, Y6, Y6; \
	VPXOR Y7, Y7, Y7

#define STEPS4(step) \
	step(R8, Y0, Y1); \
	step(R9, Y2, Y3); \
	step(R10, Y4, Y5); \
	step(R11, Y6, Y7)

#define PUT2(a, b) \
	VMOVUPS a, (AX); \
	VMOVUPS b, 32(AX); \
	ADDQ DX, AX

#define PUT4 \
	PUT2(Y0, Y1); \
	PUT2(Y2, Y3); \
	PUT2(Y4, Y5); \
	PUT2(Y6, Y7)

// numbers<> are the 16 columns of a panel, for kernels that write down which.
DATA numbers<>+0(SB)/8, $0x0000000100000000
DATA numbers<>+8(SB)/8, $0x0000000300000002
DATA numbers<>+16(SB)/8, $0x0000000500000004
DATA numbers<>+24(SB)/8, $0x0000000700000006
DATA numbers<>+32(SB)/8, $0x0000000900000008
DATA numbers<>+40(SB)/8, $0x0000000b0000000a
DATA numbers<>+48(SB)/8, $0x0000000d0000000c
DATA numbers<>+56(SB)/8, $0x0000000f0000000e
GLOBL numbers<>(SB), RODATA|NOPTR, $64
