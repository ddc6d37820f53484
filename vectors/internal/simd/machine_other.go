//go:build (!amd64 && !arm64) || noasm

package simd

// machineKernels: no assembly here.
func machineKernels() []*Kernel { return nil }
