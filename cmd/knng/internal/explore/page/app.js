"use strict";
// Ids, labels and texts are a stranger's: they become text nodes, never markup.
const $ = id => document.getElementById(id);
function el(tag, props = {}, ...children) {
  const e = document.createElement(tag);
  for (const [name, value] of Object.entries(props)) name in e ? e[name] = value : e.setAttribute(name, value);
  e.append(...children.filter(c => c !== null && c !== undefined && c !== ""));
  return e;
}
async function get(path) {
  const answer = await fetch(path);
  if (!answer.ok) throw new Error(await answer.text());
  return answer.json();
}
const number = x => x === undefined ? "" : x === null ? "beyond float32" : x === 0 ? "0" : Math.abs(x) >= 1e6 || Math.abs(x) < 1e-3 ? x.toExponential(3) : String(+x.toPrecision(5));
// aligned writes distances of a list with as many decimals each, five digits of the largest.
function aligned(list) {
  const most = Math.max(...list.map(r => Math.abs(r.distance || 0)));
  const decimals = Math.max(0, 4 - Math.floor(Math.log10(most)));
  const whole = list.every(r => Number.isInteger(r.distance)); // counts, as of bits
  return !whole && most >= 1e-3 && most < 1e6 ? x => typeof x === "number" ? x.toFixed(decimals) : number(x) : number;
}
const count = n => n.toLocaleString("en");
const many = (n, of) => count(n) + " " + of + (n === 1 ? "" : "s");
let info, map;

function picture(r, size) {
  if (!r.image) return null;
  return el("img", { src: "image/" + r.row, alt: r.label || r.id || "picture of row " + r.row, loading: "lazy", width: size, height: size });
}
const title = r => r.id || r.label || r.text || "row " + r.row;
// cut leaves the middle out of a long text: ids that begin alike differ at their ends.
const cut = (text, c = Array.from(text)) => c.length > 56 ? c.slice(0, 24).join("") + "…" + c.slice(-28).join("") : text;
// broken lets a line of a long id end behind a mark or before a capital, but not before an ending such as .go.
const broken = text => text.length <= 12 ? [text] : text.split(/(?<=[/_:#?&=,-])(?=[^/._:#?&=,-])|(?<=\.)(?=\w{5})|(?<=[a-z])(?=[A-Z])/).flatMap((part, i) => i ? [el("wbr"), part] : [part]);
const bdi = text => el("bdi", {}, ...broken(text)); // whichever way it is read, the rest of the line stays in order
const named = r => bdi(cut(title(r)));
function link(r, distance = number) {
  const rest = [r.id && r.label, r.text !== title(r) && r.text].filter(Boolean).join(" · ");
  return el("a", { href: "#row=" + r.row }, picture(r, 40) || el("span", { className: "number" }, String(r.row)),
    el("span", { className: "words", title: title(r) + (rest && " · " + rest) }, named(r), rest ? el("small", {}, " ", el("bdi", {}, rest)) : null),
    el("span", { className: "number" }, distance(r.distance)));
}

const seen = [];
let asked = 0; // how often the address changed: an answer that comes after the next question is not shown
async function show(row) {
  const turn = ++asked;
  let answer, failure;
  try { answer = await get("api/row?row=" + encodeURIComponent(row)); }
  catch (e) { failure = e; }
  if (turn !== asked) return;
  if (failure) { $("row-title").textContent = "Row"; $("row").replaceChildren(el("p", {}, failure.message)); return; }
  const r = answer.row;
  $("row-title").replaceChildren(...r.id ? [bdi(r.id), ` (row ${r.row})`] : ["Row " + r.row]);
  document.title = title(r) + " · " + info.name;
  const stays = $("row-panel").contains(document.activeElement); // the link that was followed goes, with the focus
  const facts = [r.label && "label \u2068" + r.label + "\u2069", r.in_degree !== undefined && "listed by " + many(r.in_degree, "row")];
  const distance = aligned(answer.neighbors);
  const none = info.k ? "It has no neighbors: it was isolated." : "It has no neighbors: no other row is there.";
  $("row").replaceChildren(
    el("div", { className: "about-row" }, picture(r, 96), el("div", {}, r.text ? el("p", {}, r.text) : null, el("p", { className: "number" }, facts.filter(Boolean).join(" · ")))),
    el("h3", {}, answer.neighbors.length ? `Its ${answer.neighbors.length} nearest, with ${info.metric} distance` : none),
    el("ol", { className: "neighbors" }, ...answer.neighbors.map(n => el("li", {}, link(n, distance)))));
  if (stays) $("row-title").focus();
  map.select(r.row, answer.neighbors.map(n => n.row));
  sayMap();
  const before = seen.findIndex(s => s.row === r.row);
  if (before >= 0) seen.splice(before, 1);
  seen.unshift(r); seen.length = Math.min(seen.length, 12);
  $("history").replaceChildren(...seen.slice(1).map(s => el("li", {}, el("a", { href: "#row=" + s.row, title: title(s) }, named(s)))));
}

async function find(q) {
  const turn = ++asked;
  $("row-title").textContent = "Found";
  if (!q.trim()) { $("row").replaceChildren(el("p", {}, "Type the number of a row, its id, or a part of its text.")); return; }
  try {
    const answer = await get("api/search?q=" + encodeURIComponent(q));
    if (turn !== asked) return;
    if (answer.hits.length === 1 && answer.whole) { location.replace("#row=" + answer.hits[0].row); return; }
    const said = answer.hits.length === 0 ? `Nothing has “${q}” in it.` : many(answer.hits.length, "row") + (answer.whole ? "" : ", and perhaps more");
    $("row").replaceChildren(el("p", {}, said), el("ul", { className: "hits" }, ...answer.hits.map(h => el("li", {}, link(h)))));
  } catch (e) { if (turn === asked) $("row").replaceChildren(el("p", {}, e.message)); }
}

function follow() {
  if (!info.rows) { $("row").replaceChildren(el("p", {}, "The graph has no rows.")); return; }
  const at = new URLSearchParams(location.hash.slice(1));
  if (at.has("q")) find(at.get("q"));
  else if (location.hash === "#row-panel") return; // the link that skips to the row
  else show(at.get("row") || 0);
}

// bars draws counts; marks are what stands below them, evenly spread, and names what each bar is.
function bars(name, counts, marks, names) {
  if (!counts.length) return el("div", {}, el("h3", {}, name), el("p", {}, "none"));
  const most = Math.max(1, ...counts), w = 100 / counts.length, ns = "http://www.w3.org/2000/svg";
  const svg = document.createElementNS(ns, "svg");
  svg.setAttribute("viewBox", "0 0 100 40"); svg.setAttribute("preserveAspectRatio", "none"); svg.setAttribute("role", "img");
  svg.setAttribute("aria-label", `${name}, from ${marks[0]} to ${marks.at(-1)}: ${counts.join(", ")} rows a bar`);
  counts.forEach((c, i) => {
    const r = document.createElementNS(ns, "rect"), h = 40 * c / most;
    for (const [k, v] of Object.entries({ x: i * w, y: 40 - h, width: w * 0.88, height: h })) r.setAttribute(k, v);
    r.append(Object.assign(document.createElementNS(ns, "title"), { textContent: `${names(i)}: ${many(c, "row")}` }));
    svg.append(r);
  });
  return el("div", {}, el("h3", {}, name), el("p", { className: "axis" }, `the highest bar: ${many(most, "row")}`), svg, el("div", { className: "axis" + (marks.length === counts.length ? " each" : "") }, ...marks.map(m => el("span", {}, m))));
}
function histogram(name, h) {
  const { counts, low, high } = h, width = (high - low) / (counts || []).length;
  if (!counts) return el("div", {}, el("h3", {}, name), el("p", {}, "none"));
  if (low === high) return el("div", {}, el("h3", {}, name), el("p", {}, `${number(low)} for all`));
  return bars(name, counts, [number(low), number(high)], i => `${number(low + i * width)} to ${number(low + (i + 1) * width)}`);
}
const groups = (name, none, list, line) => el("div", {}, el("h3", {}, name),
  list && list.length ? el("ol", {}, ...list.map(g => el("li", {}, el("a", { href: "#row=" + (g.row ?? g.first) }, ...line(g))))) : el("p", {}, none));

// sayMap tells what the map shows and how to move it.
function sayMap() {
  if (!map.rows) return;
  const other = map.selected >= 0 && !map.number.has(map.selected) ? "; the row shown is not among them" : "";
  const part = map.n < info.rows ? `${count(map.n)} of ${count(info.rows)} rows, drawn at random${other}. ` : "";
  $("map-state").textContent = part + "Click a point; drag and scroll to move and zoom. By keys: arrows, plus, minus, 0, and Enter for the point nearest the middle.";
}

async function figures() {
  const answer = await get("api/figures");
  if (answer.failure) { $("figures-state").textContent = $("map-state").textContent = answer.failure; return; }
  const f = answer.figures;
  if (f && !$("figures").children.length) {
    $("figures-state").textContent = `Connected parts: ${count(f.islands)}. Rows in no list: ${count(f.antihubs)}. Groups of equal rows: ${count(f.equal)}.`;
    const rows = new Map(answer.rows.map(r => [r.row, r])), name = row => named(rows.get(row) || { row }), every = Math.ceil(f.in_degrees.length / 8);
    const degrees = b => b.from === b.to ? "in " + many(b.to, "list") : `in ${b.from} to ${b.to} lists`;
    $("figures").replaceChildren(
      bars("How many lists a row is in", f.in_degrees.map(b => b.rows), f.in_degrees.map((b, i) => i % every ? "" : b.from === b.to ? b.from : b.from + "+"), i => degrees(f.in_degrees[i])),
      histogram("Distance to the nearest", f.nearest),
      histogram("Distance to the last neighbor", f.farthest),
      groups("Hubs: rows in most lists", "none", f.hubs, h => [name(h.row), ": " + count(h.in_degree)]),
      groups("Largest connected parts", "none", f.components, g => [many(g.size, "row") + ", from ", name(g.first)]),
      groups("Equal rows", "none", f.duplicates, g => [count(g.size) + " rows, from ", name(g.first)]));
  }
  if (!answer.map) {
    if (answer.share) $("map-state").textContent = `The map is being made … ${Math.floor(100 * answer.share)} %`;
    setTimeout(figures, 700);
    return;
  }
  const b = await fetch("api/map");
  map.load(await b.arrayBuffer());
  sayMap();
}

async function begin() {
  map = new GraphMap($("map"), row => { location.hash = "row=" + row; });
  info = await get("api/info");
  $("name").textContent = info.name;
  const recall = info.recall ? `, recall ${info.recall.toFixed(3)}` + (info.low < info.high ? ` (${info.low.toFixed(3)} to ${info.high.toFixed(3)})` : "") : "";
  $("about").textContent = `${many(info.rows, "row")} of ${count(info.dim)} ${info.type}, the ${count(info.k)} nearest of each by ${info.metric}${recall}`;
  document.documentElement.style.setProperty("--digits", String(info.rows - 1).length + "ch");
  const color = (c, name) => {
    const dot = el("span", { className: "dot" }); dot.style.background = colorOf(c);
    return el("li", {}, dot, name);
  };
  $("legend").replaceChildren(...(info.classes || []).map((name, i) => color(i, name ? el("bdi", {}, name) : "no label")));
  if (info.labels && !info.classes) $("legend").append(el("li", {}, "No colors: the labels differ from row to row."));
  if (info.others) $("legend").append(color(others, `${count(info.others)} other labels`));
  $("search").addEventListener("submit", e => { e.preventDefault(); location.hash = "q=" + encodeURIComponent($("q").value); });
  $("random").addEventListener("click", () => { location.hash = "row=" + Math.floor(Math.random() * info.rows); });
  addEventListener("hashchange", follow);
  follow();
  figures().catch(e => { $("figures-state").textContent = e.message; });
}
begin().catch(e => { $("about").textContent = "The graph cannot be read: " + e.message; });
