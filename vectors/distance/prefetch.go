package distance

// Prefetch asks the memory for rows that Keys will be given next, some tens of them; row r of
// base begins at base[r*stride]. It is a hint, and reads nothing.
func (s *Space) Prefetch(base []byte, stride int, ids []uint32) {
	s.PrefetchBytes(base, stride, ids, s.dim*s.typ.Size())
}

// PrefetchBytes asks for the first size bytes each of rows of any memory.
func (s *Space) PrefetchBytes(base []byte, stride int, ids []uint32, size int) {
	s.kernel.Codes.PrefetchFew(base, stride, ids, size)
}
