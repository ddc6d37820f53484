// Instructions that Go's assembler does not know. Arguments are numbers of V
// registers, the destination last, as Go has it; the comments have Arm's order.
// Macros that end in 2 read the upper half of their sources.

// FMLA Vd.4S, Vn.4S, Vm.S[lane]: four float32 times one of another register
#define FMLA_S(m, lane, n, d) WORD $(0x4F801000 | ((lane)&1)<<21 | ((lane)>>1)<<11 | (m)<<16 | (n)<<5 | (d))

// FCVTL Vd.4S, Vn.4H and FCVTL2 Vd.4S, Vn.8H: float16 to float32
#define FCVTL_H(n, d)  WORD $(0x0E217800 | (n)<<5 | (d))
#define FCVTL_H2(n, d) WORD $(0x4E217800 | (n)<<5 | (d))
