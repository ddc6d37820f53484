// lanes<> are ones in the first eight of 24 dwords, and in the last eight. From dword 8-n
// on it sets the first n of eight lanes, from dword 16-n on the others.
DATA lanes<>+0(SB)/8, $0xFFFFFFFFFFFFFFFF
DATA lanes<>+8(SB)/8, $0xFFFFFFFFFFFFFFFF
DATA lanes<>+16(SB)/8, $0xFFFFFFFFFFFFFFFF
DATA lanes<>+24(SB)/8, $0xFFFFFFFFFFFFFFFF
DATA lanes<>+32(SB)/8, $0
DATA lanes<>+40(SB)/8, $0
DATA lanes<>+48(SB)/8, $0
DATA lanes<>+56(SB)/8, $0
DATA lanes<>+64(SB)/8, $0xFFFFFFFFFFFFFFFF
DATA lanes<>+72(SB)/8, $0xFFFFFFFFFFFFFFFF
DATA lanes<>+80(SB)/8, $0xFFFFFFFFFFFFFFFF
DATA lanes<>+88(SB)/8, $0xFFFFFFFFFFFFFFFF
GLOBL lanes<>(SB), RODATA|NOPTR, $96
