package vectors

import (
	"bufio"
	"fmt"
	"io"

	"github.com/klauspost/compress/gzip"
)

// gzipped unpacks members of gzip one after the other. Zeros may stand behind them, as tapes
// and block devices are filled up and the gzip command and Python read it.
type gzipped struct {
	r *bufio.Reader
	z *gzip.Reader
}

func newGzipped(r io.Reader) (io.Reader, error) {
	g := &gzipped{r: bufio.NewReaderSize(r, 1<<18)}
	var err error
	if g.z, err = gzip.NewReader(g.r); err != nil {
		return nil, err
	}
	g.z.Multistream(false)
	return g, nil
}

func (g *gzipped) Read(p []byte) (int, error) {
	for {
		n, err := g.z.Read(p)
		if n > 0 || err != io.EOF {
			if err == io.EOF {
				err = nil // the next read looks for a member
			}
			return n, err
		}
		if err := g.nextMember(); err != nil {
			return 0, err
		}
	}
}

// nextMember begins the next member; io.EOF where there is none.
func (g *gzipped) nextMember() error {
	padded := false
	for {
		b, err := g.r.ReadByte()
		if err != nil {
			return err
		}
		if b != 0 {
			break
		}
		padded = true
	}
	if err := g.r.UnreadByte(); err != nil {
		return err
	}
	err := g.z.Reset(g.r)
	if err != nil && padded {
		err = fmt.Errorf("behind zeros that fill up: %w", err)
	}
	g.z.Multistream(false)
	return err
}
