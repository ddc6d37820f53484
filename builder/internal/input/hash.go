package input

import (
	"context"
	"strconv"

	"github.com/cespare/xxhash/v2"

	"github.com/knng/knng/vectors"
)

// Hash returns a hash of all rows of an input without files.
func Hash(ctx context.Context, src vectors.Source) (string, error) {
	size := src.Dim() * src.Type().Size()
	rows := max(1, (1<<20)/size)
	h, buf := xxhash.New(), make([]byte, min(rows, src.Len())*size)
	for from := 0; from < src.Len(); from += rows {
		some := buf[:min(rows, src.Len()-from)*size]
		if err := ctx.Err(); err != nil {
			return "", err
		}
		if err := src.ReadRows(from, some); err != nil {
			return "", err
		}
		h.Write(some)
	}
	return strconv.FormatUint(h.Sum64(), 16), nil
}
