package vectors

import (
	"context"
	"fmt"
	"io"

	"github.com/cespare/xxhash/v2"
)

// Again reads a stream that should repeat the one that the file describes, and reports whether it
// is empty. Other bytes are an error that names the difference. Bytes after rows that a limit cut
// off are not compared.
func (f File) Again(ctx context.Context, r io.Reader) (empty bool, err error) {
	stream := leavable(ctx, r)
	defer stream.Close()
	sum := xxhash.New()
	n, err := io.Copy(sum, io.LimitReader(stream, f.Size))
	switch {
	case err != nil:
		return false, fmt.Errorf("vectors: stdin: byte %s: %w", grouped(int(n)), err)
	case n == 0 && f.Size > 0:
		return true, nil
	case n < f.Size:
		return false, fmt.Errorf("vectors: stdin: %d bytes, it had %d", n, f.Size)
	case sum.Sum64() != f.Sample:
		return false, fmt.Errorf("vectors: stdin: its contents have changed (%d bytes hash to %016x, they did to %016x)", n, sum.Sum64(), f.Sample)
	case f.Cut:
		return false, nil
	}
	if more, err := io.ReadFull(stream, make([]byte, 1)); more > 0 {
		return false, fmt.Errorf("vectors: stdin: more than %d bytes, which it had", f.Size)
	} else if err != io.EOF {
		return false, fmt.Errorf("vectors: stdin: byte %s: %w", grouped(int(n)), err)
	}
	return false, nil
}
