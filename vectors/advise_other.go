//go:build !(linux || darwin || freebsd || netbsd || openbsd)

package vectors

// advise does nothing: this system takes no hints about mappings.
func advise([]byte, Advice) error { return nil }

const pageBytes = 4096

func willNeed([]byte) error { return nil }
