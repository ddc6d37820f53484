package explore

import (
	"context"
	"net/http/httptest"
	"os/exec"
	"strings"
	"testing"
	"time"
)

// browser finds a headless browser, or skips the test.
func browser(t *testing.T) string {
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	t.Skip("no chromium on PATH: the page is not tested in a browser")
	return ""
}

// TestPageInBrowser opens the page as people do and looks at the document that its script
// made: the row with its neighbors, figures, the map, and hostile text as text.
func TestPageInBrowser(t *testing.T) {
	path := browser(t)
	_, s := served(t)
	server := httptest.NewServer(s.Handler())
	defer server.Close()
	dump := func(hash string) string {
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		out, err := exec.CommandContext(ctx, path, "--headless", "--no-sandbox", "--disable-gpu", "--user-data-dir="+t.TempDir(),
			"--virtual-time-budget=5000", "--dump-dom", server.URL+"/"+hash).Output()
		if err != nil {
			t.Fatalf("%s: %v", path, err)
		}
		return string(out)
	}
	for hash, holds := range map[string][]string{
		"#row=7":          {"<bdi>point-h</bdi> (row 7)", "listed by", `href="#row=6"`, "image/7", "Connected parts: 1.", "60 rows, from <bdi>point-a</bdi>", "<h3>Hubs: rows in most lists</h3><ol><li><a href=\"#row=", "<bdi>point-", `class="ready"`, "<title>point-h"},
		"#row=3":          {"(row 3)", "&lt;script&gt;"},
		"#q=some%20words": {"Found", "50 rows, and perhaps more"},
		"#q=zebra":        {"Nothing has “zebra” in it."},
		"#row=999":        {"want a number below 60"},
	} {
		page := dump(hash)
		for _, want := range holds {
			if !strings.Contains(page, want) {
				t.Errorf("%s: the page has no %q", hash, want)
			}
		}
		if strings.Contains(page, "<title>owned") || strings.Contains(page, "<script>document") {
			t.Errorf("%s: hostile text became markup", hash)
		}
	}
}
