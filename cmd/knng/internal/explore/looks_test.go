package explore

import (
	"math"
	"strconv"
	"strings"
	"testing"
)

// TestBrowserPhone: on 320 and 390 pixels nothing stands beyond the edge, not even a long hostile
// id, the row comes before the map, and links are large enough for a finger.
func TestBrowserPhone(t *testing.T) {
	p := opened(t, "#row=3")
	for _, width := range []int{320, 390} {
		p.call("Emulation.setDeviceMetricsOverride", map[string]any{"width": width, "height": 844, "deviceScaleFactor": 2, "mobile": true}, nil)
		p.holds(`document.querySelectorAll(".neighbors a").length === 3`)
		if wide := p.value("document.documentElement.scrollWidth"); wide != strconv.Itoa(width) {
			t.Errorf("at %d pixels the page is %s wide", width, wide)
		}
		for _, holds := range []string{
			`document.getElementById("row-panel").getBoundingClientRect().bottom <= document.getElementById("map-panel").getBoundingClientRect().top`,
			`[...document.querySelectorAll(".neighbors a, button, input")].every(e => e.getBoundingClientRect().height >= 32)`,
			`document.getElementById("map").getBoundingClientRect().right <= innerWidth`,
		} {
			if p.value(holds) != "true" {
				t.Errorf("at %d pixels it does not hold that %s", width, holds)
			}
		}
	}
}

// TestBrowserIds: an id that is read from right to left leaves the rest of its line in order, a
// long one is cut in its middle and shown whole where it is the row's title, its lines end behind marks, and an empty
// search says so.
func TestBrowserIds(t *testing.T) {
	p := opened(t, "#row=4")
	for _, holds := range []string{
		`(h => { const rest = document.createRange(); rest.selectNodeContents(h.lastChild); return h.lastChild.data === " (row 4)" && h.firstChild.getBoundingClientRect().right <= rest.getBoundingClientRect().left + 1; })(document.getElementById("row-title"))`,
		`[...document.querySelectorAll(".neighbors .words")].some(e => e.title.startsWith("https://example.org") && e.textContent.startsWith("https://example.org") && e.textContent.includes("6789.jpg") && e.textContent.length < 80 && e.clientHeight < 60)`,
	} {
		p.holds(holds)
	}
	p.value(`location.hash = "row=2"`)
	p.holds(`(h => h.textContent.startsWith("https://example.org") && h.scrollWidth <= h.clientWidth && h.scrollHeight <= h.clientHeight)(document.getElementById("row-title"))`)
	p.call("Emulation.setDeviceMetricsOverride", map[string]any{"width": 320, "height": 844, "deviceScaleFactor": 2, "mobile": true}, nil)
	p.holds(`((ends, lines) => lines > 1 && /^[/.:-]*$/.test(ends))(...(e => {
		let ends = "", last = null;
		for (const text of [...e.childNodes].filter(c => c.data)) for (let i = 0; i < text.length; i++) {
			const at = document.createRange();
			at.setStart(text, i); at.setEnd(text, i + 1);
			const { top } = at.getBoundingClientRect();
			if (last && top > last.top) ends += last.mark;
			last = { top, mark: text.data[i] };
		}
		return [ends, ends.length + 1];
	})(document.querySelector("#row-title bdi")))`) // lines end behind a mark of the id, not within a word
	p.value(`location.hash = "q="`)
	p.holds(`document.getElementById("row").textContent.startsWith("Type the number of a row")`)
}

// TestBrowserWide: on a wide screen the map stays in view beside a long list, and the three
// histograms stand in one line, above the lists.
func TestBrowserWide(t *testing.T) {
	p := opened(t, "#row=3")
	p.call("Emulation.setDeviceMetricsOverride", map[string]any{"width": 1200, "height": 700, "deviceScaleFactor": 1, "mobile": false}, nil)
	p.holds(`document.querySelectorAll("#figures > *").length >= 5`)
	for _, holds := range []string{
		`(tops => tops[0] === tops[1] && tops[1] === tops[2] && tops[3] > tops[2])([...document.querySelectorAll("#figures > *")].map(e => e.getBoundingClientRect().top))`,
		`(document.getElementById("row-panel").style.minHeight = "3000px", scrollTo(0, 1500), (m => m.top >= 0 && m.bottom <= innerHeight)(document.getElementById("map").getBoundingClientRect()))`,
	} {
		p.holds(holds)
	}
}

// TestBrowserContrast: light and dark, as the system asks for, have text that stands out from
// its ground at least 4.5 times, as WCAG asks.
func TestBrowserContrast(t *testing.T) {
	p := opened(t, "#row=7")
	grounds := map[string]string{}
	for _, scheme := range []string{"light", "dark"} {
		p.call("Emulation.setEmulatedMedia", map[string]any{"features": []any{map[string]any{"name": "prefers-color-scheme", "value": scheme}}}, nil)
		grounds[scheme] = p.value("getComputedStyle(document.body).backgroundColor")
		for _, text := range []string{"h1", "#about", "#row-title", ".neighbors .words", ".neighbors .words small", ".neighbors .number", "#figures a", ".axis", "#legend li", "#q", "button"} {
			colors := p.value(`(e => { let ground = e; while (ground && getComputedStyle(ground).backgroundColor === "rgba(0, 0, 0, 0)") ground = ground.parentElement;
				const numbers = c => c.match(/[\d.]+/g).slice(0, 3).join(" ");
				return numbers(getComputedStyle(e).color) + " " + numbers(getComputedStyle(ground || document.body).backgroundColor); })(document.querySelector("` + text + `"))`)
			if c := contrast(t, colors); c < 4.5 {
				t.Errorf("%s: %s stands out %.1f times (%s), want 4.5", scheme, text, c, colors)
			}
		}
	}
	if grounds["light"] == grounds["dark"] {
		t.Errorf("light and dark have one ground: %s", grounds["light"])
	}
}

// contrast is that of two colors of three numbers each, by WCAG 2.
func contrast(t *testing.T, colors string) float64 {
	var light [2]float64
	share := [3]float64{0.2126, 0.7152, 0.0722}
	for i, text := range strings.Fields(colors) {
		x, err := strconv.ParseFloat(text, 64)
		if err != nil || i > 5 {
			t.Fatalf("colors %q", colors)
		}
		if x /= 255; x <= 0.03928 {
			x /= 12.92
		} else {
			x = math.Pow((x+0.055)/1.055, 2.4)
		}
		light[i/3] += share[i%3] * x
	}
	return (max(light[0], light[1]) + 0.05) / (min(light[0], light[1]) + 0.05)
}
