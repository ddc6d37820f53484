package explore

import (
	"strings"
	"testing"
)

// TestBrowserEnterInTheSearch: a word that is typed and Enter show what is found, a name of one
// row shows that row, and the field keeps the focus for the next.
func TestBrowserEnterInTheSearch(t *testing.T) {
	p := opened(t, "#row=7")
	p.value(`document.getElementById("q").focus()`)
	find := func(words string) {
		p.value(`document.getElementById("q").select()`)
		p.call("Input.insertText", map[string]any{"text": words}, nil)
		p.press("Enter")
	}
	find("some words")
	p.holds(`document.querySelectorAll(".hits a").length === 50`)
	if at := p.at(); at != "q" {
		t.Errorf("after Enter the focus is at %s, want the field", at)
	}
	find("needle")
	p.holds(`location.hash === "#row=59" && document.getElementById("row-title").textContent.includes("(row 59)")`)
	find("zebra")
	p.holds(`document.getElementById("row").textContent === "Nothing has “zebra” in it."`)
	find("<script>")
	p.holds(`location.hash === "#row=3" && document.title.includes("<script>")`) // the id as it stands
}

// TestBrowserByKeys walks through the page by Tab and Enter alone: each stop can be seen, and
// a neighbor that is opened leaves the focus at the row, so that its own neighbors come next.
func TestBrowserByKeys(t *testing.T) {
	p := opened(t, "#row=7")
	p.holds(`document.querySelectorAll(".neighbors a").length === 3 && document.querySelectorAll("#figures a").length > 0`)
	var stops []string
	for range 40 {
		p.press("Tab")
		at := p.at()
		if at == "BODY in undefined" {
			break
		}
		stops = append(stops, at)
		if p.value(`(s => s.outlineStyle !== "none" && parseFloat(s.outlineWidth) >= 2)(getComputedStyle(document.activeElement))`) != "true" {
			t.Errorf("the focus at %s cannot be seen", at)
		}
	}
	want := []string{"skip", "q", "BUTTON in search", "random", "map", "A in row", "A in row", "A in row", "A in figures"}
	if len(stops) < len(want) || strings.Join(stops[:len(want)], ", ") != strings.Join(want, ", ") {
		t.Errorf("Tab stops at %q, want first %q", stops, want)
	}

	p.value(`document.querySelector(".neighbors a").focus()`)
	p.press("Enter")
	p.holds(`location.hash === "#row=6" && document.getElementById("row-title").textContent.includes("(row 6)")`)
	p.holds(`document.activeElement.id === "row-title"`)
	p.press("Tab")
	if at := p.at(); at != "A in row" {
		t.Errorf("after the neighbor was opened Tab stops at %s, want its first neighbor", at)
	}

	p.value(`document.querySelector(".skip").focus()`)
	p.press("Enter")
	p.holds(`document.activeElement.id === "row-panel"`)
	if title := p.value(`document.getElementById("row-title").textContent`); !strings.Contains(title, "(row 6)") {
		t.Errorf("skipping to the row shows %q, want row 6 as before", title)
	}
}

// TestBrowserMapByKeys: the map is moved, zoomed and opened by keys.
func TestBrowserMapByKeys(t *testing.T) {
	p := opened(t, "#row=7")
	p.value(`document.getElementById("map").focus()`)
	p.press("+", "ArrowLeft")
	if view := p.value("JSON.stringify(map.view)"); !strings.Contains(view, `"zoom":1.4`) || strings.Contains(view, `"x":0.5,`) {
		t.Errorf("after plus and an arrow the view is %s", view)
	}
	p.press("0")
	if view := p.value("JSON.stringify(map.view)"); view != `{"x":0.5,"y":0.5,"zoom":1}` {
		t.Errorf("after 0 the view is %s", view)
	}
	p.press("Enter")
	p.holds(`location.hash !== "#row=7" && document.getElementById("row-title").textContent.includes("(row " + map.selected + ")")`)
	if at := p.at(); at != "map" {
		t.Errorf("after Enter the focus is at %s, want the map", at)
	}
}

// TestBrowserLate: the answer to a search that comes when a row was asked for since is not shown.
func TestBrowserLate(t *testing.T) {
	p := opened(t, "#row=3")
	p.value(`(now => window.fetch = path => path.startsWith("api/search") ? new Promise(later => setTimeout(() => later(now(path)), 300)) : now(path))(fetch); location.hash = "q=some words"`)
	p.holds(`document.getElementById("row-title").textContent === "Found"`)
	p.value(`location.hash = "row=5"`)
	p.holds(`document.getElementById("row-title").textContent.endsWith("(row 5)")`)
	p.value(`new Promise(r => setTimeout(r, 600))`)
	if p.value(`document.querySelectorAll(".hits").length`) != "0" {
		t.Error("the hits of the search took the place of the row")
	}
	p.value(`location.hash = "row=999"`)
	p.holds(`document.getElementById("row").textContent.includes("want a number below 60") && document.getElementById("row-title").textContent === "Row"`)
}
