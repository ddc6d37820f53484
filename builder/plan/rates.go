package plan

// Rates are the speed of a machine: the work that one processor does in a second while all threads do the
// same, the share of the processors that is free, and the speed of the disk.
type Rates struct {
	Leaf    float64 `json:"leaf_pairs"`   // pairs of a leaf, compared in tiles, kept where near
	Tile    float64 `json:"tile_pairs"`   // pairs compared with leaders, in tiles
	Screen  float64 `json:"screen_pairs"` // pairs compared for exact lists, in tiles
	Keys    float64 `json:"keys"`         // exact keys of rows far from each other
	Touched float64 `json:"touched"`      // words read that lie far from each other
	Hashed  float64 `json:"hash_bytes"`   // bytes by SHA-256
	Read    float64 `json:"read_bytes"`   // bytes of a file in order, from the scratch folder
	Written float64 `json:"write_bytes"`  // bytes of a file in order, to it
	Threads int     `json:"threads"`
	Share   float64 `json:"share"` // of the processors asked for, the share that this process got
}

// work is the computation of a pass.
type work struct {
	leaf, tile, screen, keys, touched float64 // shared by all threads
	alone                             float64 // words touched by one thread, while the others wait
	hashed                            float64 // bytes, by one thread
}

// seconds returns how long a pass takes: its computation, and its wait for the disk.
func (r Rates) seconds(p *Pass) float64 {
	parallel, alone := r.cpu(p.work)
	return (parallel/float64(max(1, r.Threads))+alone)/r.Share + float64(p.WrittenBytes)/r.Written
}

// cpu is the processor time of some work: that of all threads, and that of one alone.
func (r Rates) cpu(w work) (parallel, alone float64) {
	parallel = w.leaf/r.Leaf + w.tile/r.Tile + w.screen/r.Screen + w.keys/r.Keys + w.touched/r.Touched
	return parallel, w.alone/r.Touched + w.hashed/r.Hashed
}

// slower holds the factors by which pairs take longer with other kernels than AVX-512. With AVX2, divisions
// of MNIST, SIFT and GIST took 1.3 to 2 times as long.
var slower = map[string]float64{"avxvnni": 1.3, "avx2": 1.6, "neon": 3, "go": 10}

// Nominal returns the rates of the machine that the builds in testdata/left were recorded on (Zen 5), with the kernel
// of the shape (by default AVX-512). Those of earlier machines and versions were 2 to 8 times lower. Without a measurement, they are good enough to distinguish builds of seconds
// from builds of hours. share is the part of the processors that is free.
func Nominal(s Shape, share float64) Rates {
	d := float64(s.Dim)
	r := Rates{
		Leaf: 1e9 / (0.95 + d/600), Tile: 1e9 / (0.6 + d/400), Screen: 1e9 / (0.6 + d/30), Keys: 1e9 / (8 + d/20), Touched: 1.3e9,
		Hashed: 1.8e9, Read: 8e9, Written: 1e9, Threads: s.Threads, Share: share,
	}
	if s.byCodes() {
		each := d / 500
		if s.Kernel == "avx2" { // which has no products of bytes
			each *= 2
		}
		r.Screen = 1e9 / (0.4 + each)
	}
	if s.Kind == Leaves {
		r.Leaf = 1e9 / (30 + d/8)
	} else if times := slower[s.Kernel]; times > 0 {
		r.Leaf, r.Tile, r.Screen = r.Leaf/times, r.Tile/times, r.Screen/times
	}
	return r
}
