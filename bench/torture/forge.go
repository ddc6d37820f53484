package torture

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"os"
	"path/filepath"
)

// forge writes a seal that fits the files as they are now.
func forge(store string) error {
	var b bytes.Buffer
	fmt.Fprintln(&b, "knng seal 1")
	for _, rel := range filesOf(store) {
		if top := filepath.Dir(rel); top != "graph" && top != "vectors" {
			continue
		}
		data, err := os.ReadFile(filepath.Join(store, rel))
		if err != nil {
			return err
		}
		fmt.Fprintf(&b, "%x %d %s\n", sha256.Sum256(data), len(data), filepath.ToSlash(rel))
	}
	fmt.Fprintf(&b, "seal %x\n", sha256.Sum256(b.Bytes()))
	path := filepath.Join(store, "SEAL")
	if err := os.RemoveAll(path); err != nil { // which may be a link by now
		return err
	}
	return os.WriteFile(path, b.Bytes(), 0o666)
}
