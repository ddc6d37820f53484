//go:build !amd64 || noasm

package simd

func variants() []*Kernel { return nil }
