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
