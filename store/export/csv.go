package export

import (
	"bufio"
	"strconv"
)

// csv writes a line for every entry. Distances have as many digits as give the
// same float32 back.
func (x *exporter) csv(w *bufio.Writer) error {
	names := x.names()
	w.WriteString("row,rank,neighbor,distance")
	if names != nil {
		w.WriteString(",id,neighbor_id")
	}
	w.WriteByte('\n')
	return x.each(func(row uint32, neighbors []uint32, distances []float32) error {
		rank := int64(1)
		for i, n := range neighbors {
			if i == 0 && n == row {
				rank = 0
			}
			line := strconv.AppendUint(w.AvailableBuffer(), uint64(row), 10)
			line = strconv.AppendInt(append(line, ','), rank, 10)
			line = strconv.AppendUint(append(line, ','), uint64(n), 10)
			line = strconv.AppendFloat(append(line, ','), float64(distances[i]), 'g', -1, 32)
			var err error
			if line, err = names.append(line, row, n); err != nil {
				return err
			}
			w.Write(append(line, '\n'))
			rank++
		}
		return failed(w)
	})
}
