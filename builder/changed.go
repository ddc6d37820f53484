package builder

import (
	"context"
	"strconv"

	"github.com/cespare/xxhash/v2"

	"github.com/knng/knng/builder/internal/audit"
	"github.com/knng/knng/store"
	"github.com/knng/knng/vectors"
)

// finished is the result of Build where dir holds the finished graph.
func finished(ctx context.Context, dir string, src *vectors.Input, threads int) (*Result, error) {
	s, err := store.Open(dir, nil)
	if err != nil {
		return nil, err
	}
	defer s.Close()
	result, audited := new(Result), audit.Bad{}
	if _, err := s.Record(audit.Record, &audited); err != nil {
		return nil, err
	}
	if _, err := s.Record("result", result); err != nil {
		return nil, err
	}
	m := s.Info().Manifest
	if err := audit.Unchanged(ctx, dir, &m, src, audited.Checksum, threads); err != nil {
		return nil, err
	}
	return result, referenceAnew(s, src)
}

// referenceAnew notes where a referenced file is that was given under another name.
func referenceAnew(s *store.Store, src *vectors.Input) error {
	if len(src.Files) != 1 {
		return nil
	}
	return s.NameAnew(src.Files[0].Path)
}

// inputHash is a hash of all rows of an input that has no files.
func inputHash(ctx context.Context, src vectors.Source) (string, error) {
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
