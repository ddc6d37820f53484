// Package reader opens finished stores of knng for lookups only: the lists of neighbors, the
// external ids and the vectors of rows. It links no database, so that it suits programs that
// serve a graph which another program built; package store offers everything else. A store that rows
// were put into or deleted from is read by package living; Open refuses it (ErrLiving).
//
//	g, err := reader.Open("photos.knng")
//	list, err := g.Neighbors(12, nil)
//
// A store is a directory. Open maps four kinds of files in it: SEAL, the catalog (records
// and ids), the view (offsets of lists), and the database's tables, in which the lists lie
// uncompressed. Nothing is read into memory as a whole, so a graph larger than memory opens
// in a millisecond. Package store writes the catalog and the view when it seals a store.
// Both may be deleted, and knng analyze --view makes them again.
//
// Open trusts nothing in the directory: it follows no link, opens only the files that the
// seal lists, the catalog and the view, and holds these to the seal. Each part is verified
// by a checksum at its first touch. A damaged store gives ErrCorrupt, never a wrong list.
package reader
