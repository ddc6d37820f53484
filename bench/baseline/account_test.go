package baseline_test

import (
	"os"
	"strings"
	"testing"

	"github.com/knng/knng/bench/baseline"
)

// TestAccounts: every room tells whose paper it is, and none is forgotten.
func TestAccounts(t *testing.T) {
	accounts, err := baseline.Accounts()
	if err != nil {
		t.Fatal(err)
	}
	told := map[string]bool{"axis": true} // no system: what two of them divide by
	for _, a := range accounts {
		told[a.Package] = true
		first, _, _ := strings.Cut(a.Text, "\n\n")
		if !strings.HasPrefix(a.Text, "Package "+a.Package+" ") || !strings.Contains(first, "section") {
			t.Errorf("%s does not name a paper and a section: %s", a.Package, first)
		}
	}
	dirs, err := os.ReadDir(".")
	if err != nil {
		t.Fatal(err)
	}
	for _, dir := range dirs {
		if dir.IsDir() && !told[dir.Name()] {
			t.Errorf("%s gives no account", dir.Name())
		}
	}
}
