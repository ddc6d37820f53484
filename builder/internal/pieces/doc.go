// Package pieces keeps files that tasks of a distributed build pass to each other.
//
// A piece is whole or absent: it is written under another name and renamed when its last byte is on disk. So
// two attempts at one task never interfere, and a late one replaces bytes by equal bytes. A piece has
// numbered sections, each with its own checksum, so that a task reads and verifies only those that it needs:
//
//	offset   bytes  meaning
//	0        8      "KNNGPIEC"
//	8        4      format version, 1 (u32 little-endian, like all that follow)
//	12       4      zero
//	16       16     the run that the piece belongs to
//	32       ...    sections, one after the other
//	index    32 n   of every section: key, offset, size, xxhash64 (u64 each), keys ascend
//	end-40   8      offset of the index
//	end-32   8      n, sections
//	end-24   8      xxhash64 of bytes 0 to 31, the piece's name and the index
//	end-16   8      xxhash64 of the 24 bytes before
//	end-8    8      "KNNGDONE"
package pieces
