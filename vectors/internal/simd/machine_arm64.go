//go:build arm64 && !noasm

package simd

// machineKernels lists NEON, which every arm64 CPU has.
func machineKernels() []*Kernel { return []*Kernel{neon()} }

// neon returns the kernels of NEON; what has no assembly is done in Go.
func neon() *Kernel {
	k := Portable()
	k.Name = "neon"
	k.Codes = codesNEON()
	k.Products = productsNEON()
	return k
}
