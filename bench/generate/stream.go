package generate

import "math"

// stream is a sequence of random numbers, splitmix64 (Steele, Lea and Flood,
// "Fast splittable pseudorandom number generators", OOPSLA 2014). One starts at
// every row, so starting must cost nothing.
type stream uint64

func (s *stream) next() uint64 {
	*s += 0x9e3779b97f4a7c15
	return mix(uint64(*s))
}

// mix is the finalizer of splitmix64: a bijection that scatters.
func mix(z uint64) uint64 {
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}

// uniform is in [0, 1).
func (s *stream) uniform() float64 { return float64(s.next()>>11) / (1 << 53) }

// normal is nearly so: the sum of four uniform numbers of 16 bits each, less its
// mean, over its deviation. It ends at 3.46 deviations, takes one number of the
// stream, and needs no logarithm, on which machines might differ.
func (s *stream) normal() float32 {
	z := s.next()
	sum := int32(z&0xffff) + int32(z>>16&0xffff) + int32(z>>32&0xffff) + int32(z>>48)
	return float32(sum-2*0xffff) * normalScale
}

const normalScale = 1 / (65536 * (math.Sqrt2 / 2.449489742783178)) // deviation sqrt(4/12) of 65536
