// Package oplog is the log of a living store: one flat file of frames, a frame for each
// transaction. All numbers are little-endian, hashes are xxhash64.
//
//	byte  0  "KNNGLOG1"
//	byte  8  u32 type of the vectors, as package vectors numbers them
//	byte 12  u32 dimension
//	byte 16  u64 number of the log
//	byte 24  u64 number of its first operation
//	byte 32  u64 number of its first row
//	byte 40  u64 hash of bytes 0 to 39
//	byte 48  u64 durable length of the file: readers go no further
//	byte 56  u64 hash of the 8 bytes at 40 and the 8 at 48
//	byte 64  the same two again: they are written in turns, and the larger length counts
//	byte 80  frames
//
// A frame:
//
//	byte  0  u32 "OPS1"
//	byte  4  u32 length of the operations in bytes
//	byte  8  u64 number of the first operation
//	byte 16  u64 hash of the frame before; of the first frame, the hash at byte 40
//	byte 24  u64 number of operations
//	byte 32  u64 hash of bytes 0 to 31
//	byte 40  operations
//	         u64 hash of all before
//
// An operation:
//
//	01  put: uvarint 0, or 1 more than the row that it replaces; uvarint length of the id
//	    (0: none), id; vector. It makes the next row
//	02  delete: uvarint row
//
// A frame counts once it is synced. Then the durable length is written, and becomes durable with the next
// sync. So up to the durable length every frame must be whole, and damage is an error. Beyond it there may be
// synced frames, and after these one that a crash tore, which is cut off. If a whole head of a frame follows
// it, that is damage. If one of the two lengths does not match its hash, it may be the larger: readers then
// go on to the last whole frame.
package oplog
