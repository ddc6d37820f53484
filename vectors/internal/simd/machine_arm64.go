//go:build arm64 && !noasm

package simd

// machineKernels lists NEON, which every arm64 CPU has.
func machineKernels() []*Kernel { return []*Kernel{neon()} }
