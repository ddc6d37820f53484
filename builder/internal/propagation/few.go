package propagation

import "slices"

// fewFresh is the most new places for which each pair is compared once, for both: kernels compare four rows
// at a time. With it SIFT (250,000) spends about 12 % less CPU in rounds after the first; 8 gained nothing
// more, and with any number the first round took about 15 % more.
const fewFresh = 4

// compareFew compares the few new places with all that come after them, and offers the near pairs.
func (j *Join) compareFew() {
	all, fresh := j.here.all, j.here.fresh
	j.near.begin(all)
	j.tile.Columns(all, j.near.numbers)
	for i := range j.tile.Band(0, fresh, len(all)) {
		distances, others := j.tile.Either(i, j.bounds[i], j.bounds)
		j.near.note(i, distances, others, j.bounds)
	}
	for i, x := range all {
		j.lists.Next(j.tile, all, i)
		if distances, places := j.near.of(i); len(places) > 0 {
			j.lists.Offer(j.tile, x, distances, places)
		}
	}
}

// near holds candidates of some places, numbered 0, 1, ...: at most as many for each as there are places.
type near struct {
	all       []uint32
	numbers   []uint32
	counts    []uint32
	distances []uint32
	places    []uint32
}

// begin removes all candidates and takes other places.
func (n *near) begin(all []uint32) {
	n.all = all
	for i := len(n.numbers); i < len(all); i++ {
		n.numbers = append(n.numbers, uint32(i))
	}
	n.counts = slices.Grow(n.counts[:0], len(all))[:len(all)]
	clear(n.counts)
	if size := len(all) * len(all); size > len(n.distances) {
		n.distances, n.places = make([]uint32, 2*size), make([]uint32, 2*size)
	}
}

// note records the places that are near to number i, and i for each of them, by ascending number. Those up to
// i are known already. It does not branch on which case applies.
func (n *near) note(i int, distances, others, bounds []uint32) {
	after, _ := slices.BinarySearch(others, uint32(i+1))
	for at, o := range others[after:] {
		d := distances[after+at]
		n.add(i, d, n.all[o], bounds[i])
		n.add(int(o), d, n.all[i], bounds[o])
	}
}

// add puts a candidate after those of number i, and counts it if it is within the bound.
func (n *near) add(i int, distance, place, bound uint32) {
	count := n.counts[i]
	to := i*len(n.all) + int(count)
	n.distances[to], n.places[to] = distance, place
	if distance <= bound {
		count++
	}
	n.counts[i] = count
}

// of returns the candidates of number i.
func (n *near) of(i int) (distances, places []uint32) {
	from := i * len(n.all)
	to := from + int(n.counts[i])
	return n.distances[from:to], n.places[from:to]
}
