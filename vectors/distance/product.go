package distance

// OfProduct is the key of two rows under [Cosine] or [IP], from their inner product and, under
// Cosine, their norms: for rows whose product is computed elsewhere, such as sparse ones.
func OfProduct(m Metric, dot, normX, normY float64) float32 {
	if m == Cosine {
		return cosine(dot, normX, normY)
	}
	return float32(0 - dot)
}
