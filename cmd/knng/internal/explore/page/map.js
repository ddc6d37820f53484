"use strict";
// The map: points drawn on a canvas, moved, zoomed and clicked.
const palette = ["#3b7dd8", "#e0663b", "#3a9d5d", "#b455c8", "#c9a227", "#27a3a3", "#d8457b", "#7a6ad8", "#8a8f2f", "#9a5b3c",
  "#5f8fb0", "#ef9a6d", "#72c08d", "#d49be0", "#e3c964", "#6fc9c9", "#ee8fb0", "#a99ff0", "#b9be62", "#c48f75"];

const others = 255; // the class of all labels that have no color of their own
const colorOf = c => c === others ? "#8f939c" : palette[c % palette.length];

class GraphMap {
  constructor(canvas, pick) {
    this.canvas = canvas; this.pick = pick; this.selected = -1; this.near = new Set();
    this.view = { x: 0.5, y: 0.5, zoom: 1 };
    this.pointers = new Map();
    canvas.addEventListener("wheel", e => { e.preventDefault(); this.zoom(Math.exp(-e.deltaY / 400), e.offsetX, e.offsetY); }, { passive: false });
    canvas.addEventListener("pointerdown", e => { canvas.setPointerCapture(e.pointerId); this.pointers.set(e.pointerId, e); this.moved = false; });
    canvas.addEventListener("pointermove", e => this.drag(e));
    for (const name of ["pointerup", "pointercancel"]) canvas.addEventListener(name, e => this.release(e, name === "pointerup"));
    canvas.addEventListener("keydown", e => this.key(e));
    new ResizeObserver(() => this.draw()).observe(canvas);
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => this.draw());
  }

  load(buffer) {
    const n = this.n = new DataView(buffer).getUint32(0, true);
    this.rows = new Uint32Array(buffer, 4, n);
    this.xs = new Uint16Array(buffer, 4 + 4 * n, n);
    this.ys = new Uint16Array(buffer, 4 + 6 * n, n);
    this.classes = new Uint8Array(buffer, 4 + 8 * n, n);
    this.number = new Map();
    this.rows.forEach((row, i) => this.number.set(row, i));
    this.canvas.classList.add("ready");
    this.draw();
  }

  size() { return { w: this.canvas.clientWidth, h: this.canvas.clientHeight }; }
  scale() { const { w, h } = this.size(); return 0.94 * Math.min(w, h) * this.view.zoom; }
  at(i) {
    const { w, h } = this.size(), s = this.scale();
    return [(this.xs[i] / 65535 - this.view.x) * s + w / 2, (this.ys[i] / 65535 - this.view.y) * s + h / 2];
  }

  draw() {
    if (!this.rows || this.waiting) return;
    this.waiting = true;
    requestAnimationFrame(() => { this.waiting = false; this.paint(); });
  }

  paint() {
    const { w, h } = this.size(), ratio = devicePixelRatio || 1, c = this.canvas.getContext("2d");
    if (!w || !h) return;
    this.canvas.width = w * ratio; this.canvas.height = h * ratio;
    c.setTransform(ratio, 0, 0, ratio, 0, 0);
    c.clearRect(0, 0, w, h);
    const size = Math.max(1.2, Math.min(6, 90 * Math.sqrt(this.view.zoom) / Math.sqrt(this.n)));
    c.globalAlpha = this.n > 20000 ? 0.55 : 0.8;
    for (let i = 0; i < this.n; i++) {
      const [x, y] = this.at(i);
      if (x < -9 || y < -9 || x > w + 9 || y > h + 9) continue;
      c.fillStyle = colorOf(this.classes[i]);
      c.fillRect(x - size / 2, y - size / 2, size, size);
    }
    c.globalAlpha = 1;
    const ink = getComputedStyle(document.body).color;
    for (const row of this.near) this.ring(c, row, 5, ink, 1.5);
    this.ring(c, this.selected, 9, ink, 3);
  }

  ring(c, row, radius, color, width) {
    const i = this.number.get(row);
    if (i === undefined) return;
    const [x, y] = this.at(i);
    c.beginPath(); c.arc(x, y, radius, 0, 7); c.strokeStyle = color; c.lineWidth = width; c.stroke();
  }

  select(row, neighbors) { this.selected = row; this.near = new Set(neighbors); this.draw(); }

  zoom(by, px, py) {
    const { w, h } = this.size(), before = this.scale();
    const x = (px - w / 2) / before + this.view.x, y = (py - h / 2) / before + this.view.y;
    this.view.zoom = Math.max(0.5, Math.min(400, this.view.zoom * by));
    this.view.x = x - (px - w / 2) / this.scale(); this.view.y = y - (py - h / 2) / this.scale();
    this.draw();
  }

  drag(e) {
    const last = this.pointers.get(e.pointerId);
    if (!last) return;
    const dx = e.offsetX - last.offsetX, dy = e.offsetY - last.offsetY;
    if (Math.abs(e.clientX - last.clientX) + Math.abs(e.clientY - last.clientY) < 3 && !this.moved) return;
    this.moved = true;
    if (this.pointers.size === 2) {
      const other = [...this.pointers.values()].find(p => p.pointerId !== e.pointerId);
      const apart = p => Math.hypot(p.offsetX - other.offsetX, p.offsetY - other.offsetY) || 1;
      this.zoom(apart(e) / apart(last), other.offsetX, other.offsetY);
    } else { this.view.x -= dx / this.scale(); this.view.y -= dy / this.scale(); }
    this.pointers.set(e.pointerId, e);
    this.draw();
  }

  release(e, up) {
    if (this.pointers.delete(e.pointerId) && up && !this.moved) this.click(e.offsetX, e.offsetY);
  }

  click(px, py, least = 15 * 15) {
    let best = -1;
    for (let i = 0; i < this.n; i++) {
      const [x, y] = this.at(i), d = (x - px) ** 2 + (y - py) ** 2;
      if (d < least) { least = d; best = i; }
    }
    if (best >= 0) this.pick(this.rows[best]);
  }

  key(e) {
    const step = 60 / this.scale(), { w, h } = this.size();
    const moves = { ArrowLeft: [-step, 0], ArrowRight: [step, 0], ArrowUp: [0, -step], ArrowDown: [0, step] }[e.key];
    if (moves) { this.view.x += moves[0]; this.view.y += moves[1]; }
    else if (e.key === "+" || e.key === "=") this.zoom(1.4, w / 2, h / 2);
    else if (e.key === "-") this.zoom(1 / 1.4, w / 2, h / 2);
    else if (e.key === "Enter") this.click(w / 2, h / 2, Infinity);
    else if (e.key === "0") this.view = { x: 0.5, y: 0.5, zoom: 1 };
    else return;
    e.preventDefault();
    this.draw();
  }
}
