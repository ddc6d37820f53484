//go:build !noasm

package simd

// variants are kernels that no name selects on this machine, for it has better.
func variants() []*Kernel {
	for _, k := range machineKernels() {
		if k.Name == "avx512" {
			k.Name, k.Codes = "avx512, words", codes512(false)
			return []*Kernel{k}
		}
	}
	return nil
}
