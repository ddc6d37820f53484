// Macros of the NEON kernels.
//
// Instructions that Go's assembler does not know. Arguments are numbers of V
// registers, the destination last, as Go has it; the comments have Arm's order.
// Macros that end in 2 read the upper half of their sources.

// FMLA Vd.4S, Vn.4S, Vm.S[lane]: four float32 times one of another register
#define FMLA_S(m, lane, n, d) WORD $(0x4F801000 | ((lane)&1)<<21 | ((lane)>>1)<<11 | (m)<<16 | (n)<<5 | (d))

// FCVTL Vd.4S, Vn.4H and FCVTL2 Vd.4S, Vn.8H: float16 to float32
#define FCVTL_H(n, d)  WORD $(0x0E217800 | (n)<<5 | (d))
#define FCVTL_H2(n, d) WORD $(0x4E217800 | (n)<<5 | (d))

// SDOT Vd.4S, Vn.16B, Vm.16B: sums of four products of int8; the second with
// the four bytes of one lane, Vm.4B[lane]
#define SDOT(m, n, d)          WORD $(0x4E809400 | (m)<<16 | (n)<<5 | (d))
#define SDOT_B4(m, lane, n, d) WORD $(0x4F80E000 | ((lane)&1)<<21 | ((lane)>>1)<<11 | (m)<<16 | (n)<<5 | (d))

// UABD Vd.16B, Vn.16B, Vm.16B and SABD: differences of bytes without their
// signs, which fit a byte
#define UABD(m, n, d) WORD $(0x6E207400 | (m)<<16 | (n)<<5 | (d))
#define SABD(m, n, d) WORD $(0x4E207400 | (m)<<16 | (n)<<5 | (d))

// UMULL Vd.8H, Vn.8B, Vm.8B and its kin: products of bytes
#define UMULL(m, n, d)  WORD $(0x2E20C000 | (m)<<16 | (n)<<5 | (d))
#define UMULL2(m, n, d) WORD $(0x6E20C000 | (m)<<16 | (n)<<5 | (d))
#define SMULL(m, n, d)  WORD $(0x0E20C000 | (m)<<16 | (n)<<5 | (d))
#define SMULL2(m, n, d) WORD $(0x4E20C000 | (m)<<16 | (n)<<5 | (d))

// UADALP Vd.4S, Vn.8H and SADALP: adds pairs of 16 bits to sums of 32
#define UADALP(n, d) WORD $(0x6E606800 | (n)<<5 | (d))
#define SADALP(n, d) WORD $(0x4E606800 | (n)<<5 | (d))

// FSUB Vd.4S, Vn.4S, Vm.4S
#define FSUB_S(m, n, d) WORD $(0x4EA0D400 | (m)<<16 | (n)<<5 | (d))

// FCVTL Vd.2D, Vn.2S and FCVTL2 Vd.2D, Vn.4S: float32 to float64
#define FCVTL_S(n, d)  WORD $(0x0E617800 | (n)<<5 | (d))
#define FCVTL_S2(n, d) WORD $(0x4E617800 | (n)<<5 | (d))

// SXTL Vd.8H, Vn.8B and Vd.4S, Vn.4H: int8 to int16, int16 to int32
#define SXTL_B(n, d)  WORD $(0x0F08A400 | (n)<<5 | (d))
#define SXTL_B2(n, d) WORD $(0x4F08A400 | (n)<<5 | (d))
#define SXTL_H(n, d)  WORD $(0x0F10A400 | (n)<<5 | (d))
#define SXTL_H2(n, d) WORD $(0x4F10A400 | (n)<<5 | (d))

// SCVTF Vd.4S, Vn.4S: int32 to float32
#define SCVTF_S(n, d) WORD $(0x4E21D800 | (n)<<5 | (d))

// FCMGT Vd.4S, Vn.4S, Vm.4S: all ones where n is above m, not where either is
// not a number
#define FCMGT_S(m, n, d) WORD $(0x6EA0E400 | (m)<<16 | (n)<<5 | (d))

// CMHS Vd.4S, Vn.4S, Vm.4S: all ones where n is not below m, unsigned
#define CMHS_S(m, n, d) WORD $(0x6EA03C00 | (m)<<16 | (n)<<5 | (d))

// CMHI Vd.2D, Vn.2D, Vm.2D: all ones where n is above m, unsigned
#define CMHI_D(m, n, d) WORD $(0x6EE03400 | (m)<<16 | (n)<<5 | (d))

// SHRN Vd.8B, Vn.8H, #4: four bits of every byte of a mask
#define SHRN4(n, d) WORD $(0x0F0C8400 | (n)<<5 | (d))
