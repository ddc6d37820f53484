//go:build !linux

package living

import "errors"

func forget(string) error { return errors.ErrUnsupported }

func diskBytes() int64 { return 0 }

func processor() float64 { return 0 }
