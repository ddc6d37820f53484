package export

import (
	"cmp"
	"slices"
)

// entry is a neighbor of a row that is being made symmetric.
type entry struct {
	neighbor uint32
	distance float32
	incoming bool // the neighbor lists the row, not the row the neighbor
}

const entryBytes = 12

// rowBytes is the memory of a row that is held, without its entries.
const rowBytes = 24

// defaultMemory makes a graph of a million lists of 20 symmetric in two passes.
const defaultMemory = 256 << 20

// symmetrise writes the symmetric graph to a file. A pass over the lists
// collects, for a range of rows, their own entries and those of the rows that
// list them; ranges are as long as their entries fit the memory, and a row with
// more than fit is a range of its own.
func (x *exporter) symmetrise(path string) (*edges, error) {
	degrees, err := x.degrees()
	if err != nil {
		return nil, err
	}
	out, err := createEdges(path, x.Len())
	if err != nil {
		return nil, err
	}
	memory := x.Memory
	if memory == 0 {
		memory = defaultMemory
	}
	for from := 0; from < len(degrees) && err == nil; {
		to, held := from, int64(0)
		for ; to < len(degrees); to++ {
			if held += int64(degrees[to])*entryBytes + rowBytes; held > memory && to > from {
				break
			}
		}
		err = x.symmetriseRange(out, from, degrees[from:to])
		from = to
	}
	if err == nil {
		err = out.finish()
	}
	if err != nil {
		out.remove()
		return nil, err
	}
	return out, nil
}

// degrees counts the entries of every row, outgoing and incoming.
func (x *exporter) degrees() ([]uint32, error) {
	degrees := make([]uint32, x.Len())
	err := x.directed(func(row uint32, neighbors []uint32, _ []float32) error {
		degrees[row] += uint32(len(neighbors))
		for _, n := range neighbors {
			degrees[n]++
		}
		return nil
	})
	return degrees, err
}

// directed goes over the lists without the rows themselves.
func (x *exporter) directed(fn visit) error {
	plain := *x
	plain.Self = false
	return plain.lists(fn, x.Shown)
}

// symmetriseRange writes the rows from, from+1, ... with so many entries each.
func (x *exporter) symmetriseRange(out *edges, from int, degrees []uint32) error {
	rows := make([][]entry, len(degrees))
	total := 0
	for _, d := range degrees {
		total += int(d)
	}
	all := make([]entry, total)
	for i, d := range degrees {
		rows[i], all = all[:0:d], all[d:]
	}
	err := x.directed(func(row uint32, neighbors []uint32, distances []float32) error {
		// Unsigned: rows before the range are beyond its end.
		if i := uint64(row) - uint64(from); i < uint64(len(rows)) {
			for j, n := range neighbors {
				rows[i] = append(rows[i], entry{n, distances[j], false})
			}
		}
		for j, n := range neighbors {
			if i := uint64(n) - uint64(from); i < uint64(len(rows)) {
				rows[i] = append(rows[i], entry{row, distances[j], true})
			}
		}
		return nil
	})
	for i := 0; i < len(rows) && err == nil; i++ {
		kept := united(rows[i], x.Symmetric == Mutual)
		if x.leads(int(degrees[i])) {
			kept = slices.Insert(kept, 0, entry{neighbor: uint32(from + i)})
		}
		err = out.append(kept)
	}
	return err
}

// united leaves one entry of every neighbor, with its smallest distance, those
// met in both directions only where both is asked for, ordered by (distance,
// row). It reuses the slice.
func united(row []entry, both bool) []entry {
	slices.SortFunc(row, func(a, b entry) int {
		return cmp.Or(cmp.Compare(a.neighbor, b.neighbor), cmp.Compare(a.distance, b.distance))
	})
	kept := row[:0]
	for i := 0; i < len(row); {
		first, out, in := row[i], false, false
		for ; i < len(row) && row[i].neighbor == first.neighbor; i++ {
			in = in || row[i].incoming
			out = out || !row[i].incoming
		}
		if !both || in && out {
			kept = append(kept, first)
		}
	}
	slices.SortFunc(kept, func(a, b entry) int {
		return cmp.Or(cmp.Compare(a.distance, b.distance), cmp.Compare(a.neighbor, b.neighbor))
	})
	return kept
}
