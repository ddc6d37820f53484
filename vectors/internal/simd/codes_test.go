package simd

import (
	"bytes"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"sync"
	"testing"
	"time"
	"unsafe"
)

// codeRows returns n rows of 4*groups random codes, each ending at a fence.
func codeRows(t *testing.T, rng *rand.Rand, n, groups int) [][]byte {
	rows := make([][]byte, n)
	for i := range rows {
		rows[i] = fenced(t, 4*groups)
		byteRow(rng, rows[i])
	}
	return rows
}

func squared(x, y []byte) (sum uint32) {
	for i := range x {
		d := int32(x[i]) - int32(y[i])
		sum += uint32(d * d)
	}
	return sum
}

// tileOf packs the columns, multiplies, and returns the sums with what turns
// them into distances.
func tileOf(t *testing.T, k *Codes, rows, columns [][]byte, groups int) (c []int32, ldc int, norms, adds []uint32) {
	dots, ldc, norms, adds := packedTile(t, k, rows, columns, groups)
	return dots(), ldc, norms, adds
}

// packedTile packs the columns, and returns what multiplies.
func packedTile(t *testing.T, k *Codes, rows, columns [][]byte, groups int) (dots func() []int32, ldc int, norms, adds []uint32) {
	data, norms := packedColumns(t, k, columns, groups)
	band, adds := bandOf(rows)
	ldc = len(norms)
	room := fenced(t, k.RoomBytes(groups))
	return func() []int32 {
		c := make([]int32, 16*ldc)
		k.Dots(band, len(rows), groups, data, c, ldc, room)
		return c
	}, ldc, norms, adds[:len(rows)]
}

// packedPairs returns a function that computes the distances of all pairs in one pass with marks;
// none where there is no such kernel.
func packedPairs(t *testing.T, k *Codes, rows, columns [][]byte, groups int) (pairs func() []uint32) {
	if k.Pairs == nil {
		return func() []uint32 { return nil }
	}
	data, norms := packedColumns(t, k, columns, groups)
	band, adds := bandOf(rows)
	ld, room := len(norms), fenced(t, k.RoomBytes(groups))
	words := (ld + 63) / 64
	bounds, either, marks := make([]uint32, 16), make([]uint32, ld), make([]uint64, 16*words)
	return func() []uint32 {
		d := make([]uint32, 16*ld)
		k.Pairs(band, len(rows), groups, data, norms, adds, bounds, either, d, ld, marks, words, room)
		return d
	}
}

// packedColumns returns panels, and the norms of their columns.
func packedColumns(t *testing.T, k *Codes, columns [][]byte, groups int) (data []byte, norms []uint32) {
	panels := (len(columns) + 15) / 16
	size := k.PanelBytes(groups)
	data = fenced(t, panels*size)
	norms = fencedWords[uint32](t, 16*panels)
	clear(norms)
	for p := range panels {
		var packing [16]*byte
		for j := range packing {
			column := columns[min(16*p+j, len(columns)-1)]
			packing[j] = unsafe.SliceData(column)
			for _, x := range column {
				norms[16*p+j] += uint32(x) * uint32(x)
			}
		}
		k.Pack(&packing, groups, data[p*size:(p+1)*size])
	}
	return data, norms
}

// bandOf returns 16 rows, those given and again, and what they add to distances.
func bandOf(rows [][]byte) (band *[16]*byte, adds []uint32) {
	band, adds = new([16]*byte), make([]uint32, 16)
	for r := range band {
		band[r] = unsafe.SliceData(rows[r%len(rows)])
		for _, x := range rows[r%len(rows)] {
			adds[r] += uint32(x)*uint32(x) - 256*uint32(x)
		}
	}
	return band, adds
}

// TestPairs: distances and marks in one pass are those of sums, and nothing is touched
// beyond the panels' columns. Some bounds are distances that occur.
func TestPairs(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 12))
	for _, k := range append(kernels(), variants()...) {
		if k.Codes.Pairs == nil {
			continue
		}
		for _, groups := range []int{1, 2, 16, 17, 32, 96, 196} {
			rows, columns := codeRows(t, rng, 1+rng.IntN(16), groups), codeRows(t, rng, 1+rng.IntN(140), groups)
			data, norms := packedColumns(t, k.Codes, columns, groups)
			band, adds := bandOf(rows)
			ld := len(norms)
			words := (ld + 63) / 64
			bounds, either := fencedWords[uint32](t, 16), fencedWords[uint32](t, ld)
			draw := func() uint32 {
				if rng.IntN(8) == 0 {
					return randomDistance(rng)
				}
				return squared(rows[rng.IntN(len(rows))], columns[rng.IntN(len(columns))]) / 4 * uint32(2+rng.IntN(3))
			}
			for r := range bounds {
				bounds[r] = draw()
			}
			for j := range either {
				either[j] = draw()
			}
			d, marks := fencedWords[uint32](t, 16*ld), fencedWords[uint64](t, 16*words)
			k.Codes.Pairs(band, len(rows), groups, data, norms, adds, bounds, either, d, ld, marks, words, fenced(t, k.Codes.RoomBytes(groups)))
			for r := range rows {
				for j := range columns {
					want := squared(rows[r], columns[j])
					near := marks[r*words+j/64]>>(j%64)&1 != 0
					if d[r*ld+j] != want || near != (want <= max(bounds[r], either[j])) {
						t.Fatalf("%s: %d groups, row %d, column %d of %d: %d within %d or %d: %v, and it is %d", k.Name, groups, r, j, len(columns), d[r*ld+j], bounds[r], either[j], near, want)
					}
				}
			}
		}
	}
}

func TestTilesHoldDistances(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for _, k := range append(kernels(), variants()...) {
		for _, groups := range []int{1, 2, 15, 16, 17, 31, 32, 33, 96, 196, 250} {
			columns := codeRows(t, rng, 1+rng.IntN(140), groups)
			rows := codeRows(t, rng, 1+rng.IntN(16), groups)
			c, ldc, norms, adds := tileOf(t, k.Codes, rows, columns, groups)
			for r := range rows {
				for j := range columns {
					got := adds[r] + norms[j] - 2*uint32(c[r*ldc+j])
					if want := squared(rows[r], columns[j]); got != want {
						t.Fatalf("%s: %d groups, row %d, column %d of %d: %d, want %d", k.Name, groups, r, j, len(columns), got, want)
					}
				}
			}
		}
	}
}

// TestTilesBesideOthers: what a thread holds in registers is its own, whatever stops it
// and whoever runs in between.
func TestTilesBesideOthers(t *testing.T) {
	for _, k := range append(kernels(), variants()...) {
		var all sync.WaitGroup
		end := time.Now().Add(100 * time.Millisecond)
		for worker := range 2 * runtime.GOMAXPROCS(0) {
			rng := rand.New(rand.NewPCG(uint64(worker), 7))
			groups := 1 + rng.IntN(300)
			rows, columns := codeRows(t, rng, 16, groups), codeRows(t, rng, 100, groups)
			dots, _, _, _ := packedTile(t, k.Codes, rows, columns, groups)
			pairs := packedPairs(t, k.Codes, rows, columns, groups)
			want, wanted := dots(), pairs()
			all.Go(func() {
				for time.Now().Before(end) && !t.Failed() {
					if !slices.Equal(dots(), want) || !slices.Equal(pairs(), wanted) {
						t.Errorf("%s: worker %d, %d groups: sums or distances have changed", k.Name, worker, groups)
					}
					runtime.Gosched()
				}
			})
		}
		for time.Now().Before(end) {
			runtime.GC() // stops every thread by a signal
		}
		all.Wait()
	}
}

// TestLongestCodes: the largest sums there are do not overflow.
func TestLongestCodes(t *testing.T) {
	const groups = 65536 / 4
	zero, full := make([]byte, 4*groups), slices.Repeat([]byte{255}, 4*groups)
	for _, k := range append(kernels(), variants()...) {
		rows := [][]byte{zero, full, zero, full, zero, full, zero, full}
		c, ldc, norms, adds := tileOf(t, k.Codes, rows, [][]byte{zero, full}, groups)
		for r := range rows {
			for j := range 2 {
				want := uint32(0)
				if r%2 != j {
					want = 65536 * 255 * 255
				}
				if got := adds[r] + norms[j] - 2*uint32(c[r*ldc+j]); got != want {
					t.Errorf("%s: row %d column %d: %d, want %d", k.Name, r, j, got, want)
				}
			}
		}
	}
}

// TestTilesOfZeros: rows that are zero in some groups, in most or in all, alone or with the rows
// beside them, have the sums that they should.
func TestTilesOfZeros(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 14))
	for _, k := range append(kernels(), variants()...) {
		for _, groups := range []int{1, 2, 7, 8, 9, 16, 17, 31, 33, 96, 196} {
			columns, rows := codeRows(t, rng, 1+rng.IntN(140), groups), codeRows(t, rng, 1+rng.IntN(16), groups)
			shared := rng.IntN(2) == 0
			zero := make([]bool, groups)
			for r, row := range rows {
				share := rng.Float64()
				for g := range groups {
					if r == 0 || !shared {
						zero[g] = rng.Float64() < share || rng.IntN(4) == 0
					}
					if zero[g] {
						clear(row[4*g : 4*g+4])
					}
				}
			}
			c, ldc, norms, adds := tileOf(t, k.Codes, rows, columns, groups)
			for r := range rows {
				for j := range columns {
					got := adds[r] + norms[j] - 2*uint32(c[r*ldc+j])
					if want := squared(rows[r], columns[j]); got != want {
						t.Fatalf("%s: %d groups, row %d, column %d of %d: %d, want %d", k.Name, groups, r, j, len(columns), got, want)
					}
				}
			}
		}
	}
}

// randomDistance draws one of few values, so that ties abound: small ones, and now and then
// those about which signed and unsigned numbers differ.
func randomDistance(rng *rand.Rand) uint32 {
	if rng.IntN(4) > 0 {
		return rng.Uint32N(50)
	}
	return []uint32{0, 1<<31 - 1, 1 << 31, 1<<31 + 1, 1<<32 - 2, 1<<32 - 1}[rng.IntN(6)]
}

// randomTile is a row of sums with random distances.
func randomTile(rng *rand.Rand, n int) (c []int32, norms, ids []uint32, add uint32) {
	wide := (n + 15) / 16 * 16
	c, norms, ids = make([]int32, wide), make([]uint32, wide), make([]uint32, wide)
	add = rng.Uint32N(1000)
	for j := range wide {
		c[j] = int32(rng.IntN(200)) - 100
		norms[j] = 2*uint32(c[j]) + randomDistance(rng) - add
		ids[j] = rng.Uint32N(1 << 31)
	}
	return c[:n], norms, ids, add
}

func TestNearerAndBound(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 3))
	for _, k := range append(kernels(), variants()...) {
		for n := 1; n < 150; n++ {
			c, norms, ids, add := randomTile(rng, n)
			var first, wantFirst [1]uint32
			k.Codes.First(n, c, n, norms, []uint32{add}, first[:])
			firstGo(n, c, n, norms, []uint32{add}, wantFirst[:])
			if first != wantFirst {
				t.Fatalf("%s: the nearest of %d is %d, want %d", k.Name, n, first[0], wantFirst[0])
			}
			bound := randomDistance(rng)
			d, near := make([]uint32, n+32), make([]uint32, n+32)
			var counts [1]uint32
			k.Codes.Nearer(n, c, n, norms, []uint32{add}, []uint32{bound}, ids, d, near, 0, counts[:])
			m := counts[0]
			var wantD, wantIDs []uint32
			smallest := ^uint32(0)
			for j := range n {
				x := add + norms[j] - 2*uint32(c[j])
				smallest = min(smallest, x)
				if x <= bound {
					wantD, wantIDs = append(wantD, x), append(wantIDs, ids[j])
				}
			}
			if !slices.Equal(d[:m], wantD) || !slices.Equal(near[:m], wantIDs) {
				t.Fatalf("%s: %d columns within %d: %v, want %v", k.Name, n, bound, d[:m], wantD)
			}
			bounds := make([]uint32, len(norms))
			for j := range bounds {
				bounds[j] = randomDistance(rng)
			}
			d2, near2 := make([]uint32, n+32), make([]uint32, n+32)
			wantN := eitherGo(c, norms, add, bound, bounds, ids, d2, near2)
			if m := k.Codes.Either(c, norms, add, bound, bounds, ids, d, near); m != wantN || !slices.Equal(d[:m], d2[:m]) || !slices.Equal(near[:m], near2[:m]) {
				t.Fatalf("%s: %d columns within either bound: %v, want %v", k.Name, n, near[:m], near2[:wantN])
			}
			kth := 1 + rng.IntN(min(n, 32))
			got, want := k.Codes.Bound(c, norms, add, kth), boundGo(c, norms, add, kth)
			if got != want || kth == 1 && got != smallest {
				t.Fatalf("%s: bound of %d among %d is %d, want %d (smallest %d)", k.Name, kth, n, got, want, smallest)
			}
		}
	}
}

// TestNearerRows: rows of a band keep to their own bounds and places.
func TestNearerRows(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 6))
	const n, ldc, ldo = 37, 64, 80
	c, norms, ids := make([]int32, 8*ldc), make([]uint32, ldc), make([]uint32, ldc)
	for i := range c {
		c[i] = -int32(rng.IntN(50))
	}
	for j := range ids {
		norms[j], ids[j] = randomDistance(rng), uint32(j)
	}
	adds, bounds := make([]uint32, 5), make([]uint32, 5)
	for r := range adds {
		adds[r], bounds[r] = rng.Uint32N(30), randomDistance(rng)+100
	}
	run := func(k *Codes) (d, near, counts []uint32) {
		d, near, counts = make([]uint32, 8*ldo), make([]uint32, 8*ldo), make([]uint32, 5)
		k.Nearer(n, c, ldc, norms, adds, bounds, ids, d, near, ldo, counts)
		return d, near, counts
	}
	wantD, wantNear, wantCounts := run(Portable().Codes)
	for _, k := range append(kernels(), variants()...) {
		d, near, counts := run(k.Codes)
		for r := range counts {
			from, to := r*ldo, r*ldo+int(counts[r])
			if counts[r] != wantCounts[r] || !slices.Equal(d[from:to], wantD[from:to]) || !slices.Equal(near[from:to], wantNear[from:to]) {
				t.Fatalf("%s: row %d: %v, want %v", k.Name, r, near[from:to], wantNear[from:from+int(wantCounts[r])])
			}
		}
	}
}

// TestFirstRows: rows of a band keep to their own sums and places, and the first
// of equals is taken.
func TestFirstRows(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 8))
	const ldc = 96
	c, norms, adds := make([]int32, 8*ldc), make([]uint32, ldc), make([]uint32, 8)
	for _, k := range append(kernels(), variants()...) {
		for n := 1; n <= ldc; n++ {
			for i := range c {
				c[i] = int32(rng.IntN(9))
			}
			for j := range norms {
				norms[j] = 1<<31 - 10 + rng.Uint32N(9)
			}
			for r := range adds {
				adds[r] = rng.Uint32N(50)
			}
			if n%3 == 0 { // one row of nothing but the largest distance
				for j := range norms {
					c[j], norms[j] = 0, ^adds[0]
				}
			}
			got, want := make([]uint32, 8), make([]uint32, 8)
			k.Codes.First(n, c, ldc, norms, adds, got)
			firstGo(n, c, ldc, norms, adds, want)
			if !slices.Equal(got, want) {
				t.Fatalf("%s: the nearest of %d are %v, want %v", k.Name, n, got, want)
			}
		}
	}
}

// TestSteps: every kernel rounds and clips as the Go twin does, and that as the definition.
func TestSteps(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 9))
	for _, k := range append(kernels(), variants()...) {
		for n := range 70 {
			products, offsets := make([]int32, n), make([]int32, n)
			factor := 1 + int32(rng.Uint32()>>(1+rng.Uint32N(31)))
			for j := range products {
				products[j] = int32(rng.Uint32()) >> (1 + rng.Uint32N(30))
				offsets[j] = int32(rng.Uint32()) >> (1 + rng.Uint32N(30))
			}
			got := bytes.Repeat([]byte{0xA5}, n+8)
			k.Codes.Steps(products, offsets, factor, got[:n])
			for j, x := range got {
				want := byte(0xA5)
				if j < n {
					step := math.Floor(float64(products[j]-offsets[j])*float64(factor)/(1<<StepsShift) + 0.5) // exact: below 1<<63 of 62 bits
					want = byte(max(-128, min(127, step)) + 128)
				}
				if x != want {
					t.Fatalf("%s: step %d of %d: %d less %d times %d is code %d, want %d", k.Name, j, n, products[j], offsets[j], factor, x, want)
				}
			}
		}
	}
}

// TestPrefetch: rows may be asked for in any length, also past their end.
func TestPrefetch(t *testing.T) {
	base := fenced(t, 7*100)
	for _, k := range append(kernels(), variants()...) {
		for _, bytes := range []int{1, 63, 64, 65, 100, 1000} {
			for _, ids := range [][]uint32{nil, {6}, {0, 3, 6, 6}} {
				k.Codes.Prefetch(base, 100, ids, bytes)
				k.Codes.PrefetchFew(base, 100, ids, bytes)
				k.Codes.Prefetch(nil, 0, ids, 0) // rows of no bytes
				k.Codes.PrefetchFew(nil, 0, ids, 0)
			}
		}
	}
}

// fencedWords returns n words that end at a fence, all of them set.
func fencedWords[T uint32 | uint64](t *testing.T, n int) []T {
	size := int(unsafe.Sizeof(T(0)))
	words := unsafe.Slice((*T)(unsafe.Pointer(unsafe.SliceData(fenced(t, size*max(n, 1))))), n)
	for i := range words {
		words[i] = ^T(0)
	}
	return words
}

// TestMergeEqualsSorting: merging is sorting, dropping what is there already.
func TestMergeEqualsSorting(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 4))
	lists, allD, allIDs := fencedWords[uint64](t, 128), fencedWords[uint32](t, 30), fencedWords[uint32](t, 30)
	for _, k := range append(kernels(), variants()...) {
		for range 3000 {
			// At the fence, with eight entries before the list, or before it with
			// eight behind.
			size, from := 1+rng.IntN(120), 8
			if rng.IntN(2) == 0 {
				from = 0
			}
			all := lists[len(lists)-8-size:]
			for i := range all {
				all[i] = rng.Uint64N(1 << 36)
			}
			list := all[from : from+size]
			for i := range list {
				list[i] = ^uint64(0)
			}
			beside := func() []uint64 { return slices.Concat(all[:from], all[from+size:]) }
			was := beside()
			oracle := map[uint32]uint64{}
			for range 1 + rng.IntN(12) {
				n := rng.IntN(30)
				d, ids := allD[30-n:], allIDs[30-n:]
				for i, id := range rng.Perm(300)[:n] { // none twice
					ids[i] = uint32(id)
					d[i] = ids[i] * 7 % 11 << 28 // a pair has one distance
					oracle[ids[i]] = uint64(d[i])<<32 | uint64(ids[i])<<2 | 3
				}
				twin := slices.Clone(list)
				mergeGo(twin, d, ids, 5)
				if k.Codes.Enters != nil && k.Codes.Enters(list, d, ids, 5) != !slices.Equal(list, twin) && size <= 32 {
					t.Fatalf("%s: whether candidates enter a list of %d is told as %v", k.Name, size, slices.Equal(list, twin))
				}
				k.Codes.Merge(list, d, ids, 5)
				if !slices.Equal(list, twin) {
					t.Fatalf("%s: a list of %d is %x, want %x", k.Name, size, list, twin)
				}
				if rng.IntN(2) == 0 { // what is there loses marks
					for i, e := range list {
						if e != ^uint64(0) {
							list[i] = e &^ rng.Uint64N(4)
						}
					}
				}
			}
			delete(oracle, 5)
			want := make([]uint64, 0, len(oracle))
			for _, e := range oracle {
				want = append(want, e)
			}
			slices.Sort(want)
			for len(want) < size {
				want = append(want, ^uint64(0))
			}
			for i := range list {
				if list[i]|3 != want[i]|3 {
					t.Fatalf("%s: entry %d of %d is %x, want %x", k.Name, i, size, list[i], want[i])
				}
			}
			if !slices.Equal(beside(), was) {
				t.Fatalf("%s: entries beside a list of %d changed", k.Name, size)
			}
		}
	}
}

// TestDealt: the entries of the parts are picked in order, whatever is behind, and nothing is written
// beyond the 16 elements that kernels may.
func TestDealt(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 14))
	for _, k := range append(kernels(), variants()...) {
		for range 300 {
			list := fencedWords[uint64](t, rng.IntN(100))
			for i := range list {
				if rng.IntN(8) > 0 {
					list[i] = rng.Uint64() >> rng.IntN(40) &^ (3 << 30)
				}
			}
			from, parts, n := rng.IntN(32), rng.IntN(33), rng.IntN(1<<rng.IntN(31))
			numbers, ids := fencedWords[uint32](t, len(list)+16), fencedWords[uint32](t, len(list)+16)
			count := k.Codes.Dealt(list, from, parts, n, numbers, ids)
			var want, wantIDs []uint32
			for i, e := range list {
				id := uint32(e) >> 2
				if part := PartOf(id); int(id) < n && part >= from && part < from+parts {
					want, wantIDs = append(want, uint32(i)), append(wantIDs, id)
				}
			}
			if !slices.Equal(numbers[:count], want) || !slices.Equal(ids[:count], wantIDs) {
				t.Fatalf("%s: of %x, below %d and of %d parts from %d on, it picks %d, ids %d; want %d, ids %d",
					k.Name, list, n, parts, from, numbers[:count], ids[:count], want, wantIDs)
			}
		}
	}
}

// TestBitsSet: the bits that are set are told in order, whatever follows the words, and nothing is written
// beyond the four elements that kernels may.
func TestBitsSet(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 15))
	for _, k := range append(kernels(), variants()...) {
		for range 300 {
			words := fencedWords[uint64](t, rng.IntN(20))
			var want []uint32
			for i := range words {
				words[i] = 0
				for range rng.IntN(2) * rng.IntN(1<<rng.IntN(8)) {
					words[i] |= 1 << rng.IntN(64)
				}
				for bit := range 64 {
					if words[i]>>bit&1 > 0 {
						want = append(want, uint32(64*i+bit))
					}
				}
			}
			numbers := fencedWords[uint32](t, len(want)+4)
			if n := k.Codes.Bits(words, numbers); !slices.Equal(numbers[:n], want) {
				t.Fatalf("%s: the bits of %x are %d, want %d", k.Name, words, numbers[:n], want)
			}
		}
	}
}

// TestNote: every pair waits at those of its ends whose limits it is within, and where an end has no
// room nothing is done.
func TestNote(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 16))
	for _, k := range append(kernels(), variants()...) {
		for range 300 {
			wide := 1 + rng.IntN(100)
			random := func() []uint32 {
				x := fencedWords[uint32](t, wide)
				for i := range x {
					x[i] = rng.Uint32() >> rng.IntN(2)
				}
				return x
			}
			distances, columns := random(), WaitingColumns{IDs: random(), Limits: random(), Counts: random(), Waiting: make([]Waiting, wide)}
			for j := range columns.Counts {
				columns.Counts[j] = uint32(WaitingMost - rng.IntN(2)*rng.IntN(WaitingMost+1))
				if rng.IntN(4) > 0 {
					columns.Counts[j] = uint32(rng.IntN(WaitingMost))
				}
			}
			near := fencedWords[uint32](t, rng.IntN(wide+1))
			for i, j := range rng.Perm(wide)[:len(near)] {
				near[i] = uint32(j)
			}
			n, limit, id := uint32(rng.IntN(WaitingMost+1)), rng.Uint32(), rng.Uint32()
			counts, mine, first := slices.Clone(columns.Counts), new(Waiting), n
			done, after := k.Codes.Note(near, distances, &columns, mine, n, limit, id)
			for i, j := range near {
				if n == WaitingMost || counts[j] == WaitingMost {
					if done != i {
						t.Fatalf("%s: %d of %d columns are done, want %d", k.Name, done, len(near), i)
					}
					break
				}
				if distances[j] <= limit {
					if mine.Distances[n] != distances[j] || mine.IDs[n] != columns.IDs[j] {
						t.Fatalf("%s: candidate %d is %d at %d, want %d at %d", k.Name, n, mine.IDs[n], mine.Distances[n], columns.IDs[j], distances[j])
					}
					n++
				}
				if c, theirs := counts[j], columns.Waiting[j]; distances[j] <= columns.Limits[j] {
					if theirs.Distances[c] != distances[j] || theirs.IDs[c] != id {
						t.Fatalf("%s: candidate %d of column %d is %d at %d, want %d at %d", k.Name, c, j, theirs.IDs[c], theirs.Distances[c], id, distances[j])
					}
					counts[j]++
				}
			}
			if after != n || !slices.Equal(columns.Counts, counts) {
				t.Fatalf("%s: %d candidates wait after %d, want %d; with columns %d, want %d", k.Name, after, first, n, columns.Counts, counts)
			}
		}
	}
}

// A leaf of 480 rows: panels, products, selection.
func BenchmarkCodes(b *testing.B) {
	rng := rand.New(rand.NewPCG(1, 5))
	for _, k := range append(kernels(), variants()...) {
		for _, dim := range []int{128, 384, 784} {
			const n = 480
			groups, size := dim/4, k.Codes.PanelBytes(dim/4)
			data := make([]byte, n*dim)
			byteRow(rng, data)
			var packing [16]*byte
			var band [16]*byte
			room := make([]byte, k.Codes.RoomBytes(groups))
			panels := make([]byte, n/16*size)
			c := make([]int32, 16*n)
			norms, ids, d, near := make([]uint32, n), make([]uint32, n), make([]uint32, n+16), make([]uint32, n+16)
			pack := func() {
				for p := range n / 16 {
					for j := range packing {
						packing[j] = &data[(16*p+j)*dim]
					}
					k.Codes.Pack(&packing, groups, panels[p*size:(p+1)*size])
				}
			}
			dots := func() {
				for r := range band {
					band[r] = &data[r*dim]
				}
				k.Codes.Dots(&band, 16, groups, panels, c, n, room)
			}
			bench(b, k.Name+"/pack", dim, n, pack)
			bench(b, k.Name+"/dots", dim, 16*n, dots)
			var adds, counts [8]uint32
			bench(b, k.Name+"/nearer none", dim, 8*n, func() {
				k.Codes.Nearer(n, c, n, norms, adds[:], adds[:], ids, d, near, 0, counts[:])
			})
		}
		list := make([]uint64, 28, 36)
		d, ids := make([]uint32, 5), make([]uint32, 5)
		bench(b, k.Name+"/merge", 1, 5, func() {
			for i := range list {
				list[i] = uint64(2 * i << 33)
			}
			for i := range d {
				d[i] = rng.Uint32N(200)
			}
			k.Codes.Merge(list, d, ids, 7)
		})
	}
}
