//go:build unix && !linux

package pages

func wishHuge([]byte) {}
