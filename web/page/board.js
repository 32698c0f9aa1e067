// A board for click, drag or keys, for any game with a layout.
//
// A game's `layout(position answer)` returns: `box` (a view box), `squares` (`{name, x, y, size, what}`:
// centre, size, and content as text; also `height`, if it is another, and `title`, the name as text),
// `ground` and `stones` (SVG; a stone that is dragged has `data-stone`, its square), and
// `squaresOf(move)` (`{from?, to?}`, names of squares; none for a move without squares); also `chain`,
// names of squares to mark, and `notes`, lines of text below the board.
//
// Where a move is made of steps, a layout has `play` (the steps so far, as in backgammon-steps.js),
// `after(step)` and `before`, the layouts after another step and before the last one (null without one),
// and `pathsOf(move, seat)`, the squares of each step; `squaresOf` is about a step.

import { svg } from "./dom.js";

const DRAG_FROM = 6;

/** An arrow between the centres of two squares of a size. */
export function arrow(from, to, size, kind) {
  const [dx, dy] = [to.x - from.x, to.y - from.y];
  const length = Math.hypot(dx, dy) || 1;
  const [ux, uy] = [dx / length, dy / length];
  const [start, tip] = [size * 0.18, length - size * 0.08];
  const at = (along, aside) =>
    `${(from.x + ux * along - uy * aside).toFixed(1)} ${(from.y + uy * along + ux * aside).toFixed(1)}`;
  const neck = tip - size * 0.3;
  return svg("g", { class: `arrow ${kind}` }, [
    svg("path", { class: "shaft", d: `M${at(start, 0)}L${at(neck, 0)}`, "stroke-width": size * 0.11 }),
    svg("path", { class: "head", d: `M${at(tip, 0)}L${at(neck, size * 0.19)}L${at(neck, -size * 0.19)}z` }),
  ]);
}

export class Board {
  #host;
  #handlers;
  #view = null;
  #waiting = null;
  /** What is shown besides the layout, as text. */
  #shown = null;
  #cursor = null;
  #selected = null;
  #drag = null;

  /** `handlers` is `{move(move), chooseAmong(moves)}`. */
  constructor(host, handlers) {
    this.#host = host;
    this.#handlers = handlers;
    host.addEventListener("pointerdown", (event) => this.#press(event));
    host.addEventListener("pointermove", (event) => this.#pull(event));
    host.addEventListener("pointerup", (event) => this.#release(event));
    host.addEventListener("pointercancel", () => this.#drop());
    host.addEventListener("keydown", (event) => this.#key(event));
    // Only keyboard users need a visible focus.
    host.addEventListener("pointerdown", () => host.classList.add("pointer"), true);
    document.addEventListener("keydown", () => host.classList.remove("pointer"), true);
    host.addEventListener("focusin", (event) => {
      this.#cursor = event.target.dataset?.square ?? this.#cursor;
    });
  }

  /** Shows `{position, layout, moves, isPlayable, last, arrows, label, words, isFlipped}`; `edit` receives clicked squares. */
  show(view) {
    if (this.#drag?.ghost) {
      this.#waiting = view;
      return;
    }
    // Answers that come change nothing on the board most of the time.
    const { layout, edit, ...rest } = view;
    const key = JSON.stringify(rest);
    if (layout === this.#view?.layout && edit === this.#view.edit && key === this.#shown) return;
    this.#shown = key;
    const isOther = view.position !== this.#view?.position || !view.isPlayable;
    if (isOther) this.#selected = null;
    this.#view = { ...view, moves: view.moves.map((move) => ({ move, ...view.layout.squaresOf(move) })) };
    this.#draw();
  }

  #square(name) {
    return this.#view.layout.squares.find((square) => square.name === name);
  }

  #from(name) {
    return this.#view.isPlayable ? this.#view.moves.filter(({ from }) => from === name) : [];
  }

  #to(name) {
    if (!this.#view.isPlayable) return [];
    return this.#view.moves.filter(({ from, to }) => to === name && (from ?? null) === this.#selected);
  }

  #draw() {
    const { layout, last, arrows, label, words } = this.#view;
    const hadFocus = this.#host.contains(document.activeElement);
    if (!this.#square(this.#cursor)) this.#cursor = layout.squares[0]?.name ?? null;
    const frame = ({ x, y, size, height = size, round }) =>
      ({ x: x - size / 2, y: y - height / 2, width: size, height, rx: size * round });
    const mark = (name, kind) => {
      const square = this.#square(name);
      if (!square) return null;
      return svg("rect", { class: kind, ...frame(square) });
    };
    const spot = (square) => {
      const { name, title, x, y, size, what } = square;
      const may = this.#from(name).length || this.#to(name).length;
      const texts = [title ?? name, what, may ? words.may : "", this.#selected === name ? words.selected : ""];
      return svg(
        "g",
        {
          class: `spot${may ? " may" : ""}${this.#from(name).length ? " carry" : ""}`,
          role: "button",
          "data-square": name,
          tabindex: name === this.#cursor ? 0 : -1,
          "aria-label": texts.filter(Boolean).join(", "),
          "aria-pressed": this.#selected === name ? "true" : null,
        },
        [
          svg("rect", frame(square)),
          this.#to(name).length
            ? svg("circle", { class: "target", cx: x, cy: y, r: size * 0.13 })
            : null,
        ],
      );
    };
    const drawnArrow = ({ from, to, kind }) => {
      const [start, end] = [this.#square(from), this.#square(to)];
      if (start && end) return arrow(start, end, end.size, kind);
      if (!end) return null;
      return svg("circle", { class: `ring ${kind}`, cx: end.x, cy: end.y, r: end.size * 0.36 });
    };
    const movable = layout.squares.filter(({ name }) => this.#from(name).length);
    const chained = (name) => {
      const { x, y, size } = this.#square(name) ?? {};
      return size ? svg("circle", { class: "chained", cx: x, cy: y, r: size * 0.46 }) : null;
    };
    const [left, top, width, height] = layout.box;
    const turn = this.#view.isFlipped ? `rotate(180 ${left + width / 2} ${top + height / 2})` : null;
    const root = svg("svg", { viewBox: layout.box.join(" "), role: "group", "aria-label": label }, [
      svg("g", { transform: turn }, [
        svg("g", { "aria-hidden": "true" }, [
          layout.ground,
          [...new Set(last.flatMap(({ from, to }) => [from, to]))].map((name) => mark(name, "last")),
          movable.map(({ name }) => mark(name, "movable")),
          mark(this.#selected, "selected"),
          layout.stones,
          (layout.chain ?? []).map(chained),
        ]),
        svg("g", {}, layout.squares.map(spot)),
        svg("g", { class: "arrows", "aria-hidden": "true" }, arrows.map(drawnArrow)),
      ]),
    ]);
    this.#host.replaceChildren(root);
    if (turn) this.#turnTexts(root);
    if (hadFocus) this.#focus(this.#cursor);
  }

  /** Turns the texts of a flipped board upright. */
  #turnTexts(root) {
    for (const text of root.querySelectorAll("text")) {
      const { x, y, width, height } = text.getBBox();
      text.setAttribute("transform", `rotate(180 ${x + width / 2} ${y + height / 2})`);
    }
  }

  #focus(name) {
    this.#host.querySelectorAll(".spot").forEach((spot) => {
      const isIt = spot.dataset.square === name;
      spot.setAttribute("tabindex", isIt ? 0 : -1);
      if (isIt) spot.focus({ preventScroll: true });
    });
  }

  #act(name) {
    if (this.#view.edit) {
      this.#view.edit(name);
      return;
    }
    const targets = this.#to(name);
    if (targets.length) {
      this.#selected = null;
      if (targets.length === 1) this.#handlers.move(targets[0].move);
      else this.#handlers.chooseAmong(targets.map(({ move }) => move));
      return;
    }
    const isChoice = this.#from(name).length > 0 && this.#selected !== name;
    this.#selected = isChoice ? name : null;
    this.#draw();
  }

  #at(event) {
    const under = document.elementFromPoint(event.clientX, event.clientY);
    const spot = under?.closest(".spot");
    return spot && this.#host.contains(spot) ? spot.dataset.square : null;
  }

  #press(event) {
    const name = this.#at(event);
    if (event.button !== 0 || name === null || !this.#view) return;
    event.preventDefault();
    this.#cursor = name;
    this.#focus(name);
    this.#drag = { name, x: event.clientX, y: event.clientY, ghost: null };
    if (this.#from(name).length) this.#host.setPointerCapture(event.pointerId);
  }

  #pull(event) {
    const drag = this.#drag;
    if (!drag || !this.#from(drag.name).length) return;
    const far = Math.hypot(event.clientX - drag.x, event.clientY - drag.y);
    if (!drag.ghost && far > DRAG_FROM) {
      this.#selected = drag.name;
      this.#draw();
      drag.ghost = this.#host.querySelector(`[data-stone="${drag.name}"]`) ?? true;
    }
    if (drag.ghost?.setAttribute) {
      const root = this.#host.firstChild;
      const scale = this.#view.layout.box[2] / root.getBoundingClientRect().width;
      const along = this.#view.isFlipped ? -scale : scale;
      const [dx, dy] = [(event.clientX - drag.x) * along, (event.clientY - drag.y) * along];
      drag.ghost.setAttribute("transform", `translate(${dx.toFixed(1)} ${dy.toFixed(1)})`);
    }
  }

  #release(event) {
    const drag = this.#drag;
    if (!drag) return;
    this.#drag = null;
    const name = this.#at(event);
    if (!drag.ghost) {
      if (name === drag.name) this.#act(name);
    } else if (name !== null && name !== drag.name && this.#to(name).length) {
      this.#act(name);
    } else {
      this.#selected = null;
      this.#draw();
    }
    this.#showWaiting();
  }

  #drop() {
    this.#drag = null;
    this.#selected = null;
    if (this.#view) this.#draw();
    this.#showWaiting();
  }

  #showWaiting() {
    const waiting = this.#waiting;
    this.#waiting = null;
    if (waiting) this.show(waiting);
  }

  #key(event) {
    const name = event.target.dataset?.square;
    if (name === undefined || event.ctrlKey || event.metaKey || event.altKey) return;
    const towards = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] }[event.key];
    if (towards) {
      const here = this.#square(name);
      const turn = this.#view.isFlipped ? -1 : 1;
      // The nearest square in that direction; sideways distance counts double.
      const far = ({ x, y }) => {
        const [dx, dy] = [turn * (x - here.x), turn * (y - here.y)];
        const along = dx * towards[0] + dy * towards[1];
        return along < here.size / 4 ? Infinity : along + 2 * Math.abs(dx * towards[1] + dy * towards[0]);
      };
      const best = this.#view.layout.squares.reduce((near, square) => (far(square) < far(near) ? square : near));
      if (far(best) < Infinity) this.#cursor = best.name;
      this.#focus(this.#cursor);
    } else if (event.key === "Enter" || event.key === " ") {
      this.#act(name);
    } else if (event.key === "Escape" && this.#selected !== null) {
      this.#selected = null;
      this.#draw();
    } else {
      return;
    }
    event.preventDefault();
    event.stopPropagation();
  }
}
