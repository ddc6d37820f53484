//go:build amd64 && !linux && !noasm

package simd

// amx: other systems have other ways to ask for it.
func amx() *Kernel { return nil }
