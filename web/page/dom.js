// Elements from values, and values in the browser's storage. Text is inserted as text, never as markup,
// except for the server's pictures, of which `picture` takes shapes only.

const SVG = "http://www.w3.org/2000/svg";

function fill(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes ?? {})) {
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (value === true) element.setAttribute(name, "");
    else if (value !== false && value !== null && value !== undefined) element.setAttribute(name, value);
  }
  element.append(...children.flat(Infinity).filter((child) => child !== null && child !== undefined));
  return element;
}

/** An HTML element; attributes that begin with `on` are listeners. */
export function el(tag, attributes, ...children) {
  return fill(document.createElement(tag), attributes, children);
}

/** An SVG element. */
export function svg(tag, attributes, ...children) {
  return fill(document.createElementNS(SVG, tag), attributes, children);
}

export function byId(id) {
  return document.getElementById(id);
}

const SHAPES = new Set("svg g path rect circle ellipse line polyline polygon text tspan title desc".split(" "));

/** The shapes of an `<svg>` text, and its view box as four numbers. */
export function picture(text) {
  const root = new DOMParser().parseFromString(text, "image/svg+xml").documentElement;
  if (root.localName !== "svg" || root.namespaceURI !== SVG) return null;
  for (const element of [root, ...root.querySelectorAll("*")]) {
    if (!SHAPES.has(element.localName)) {
      element.remove();
      continue;
    }
    for (const { name } of [...element.attributes]) {
      if (/^on|href|^style$|^id$|^class$/i.test(name)) element.removeAttribute(name);
    }
  }
  const box = (root.getAttribute("viewBox") ?? "").split(/[\s,]+/).map(Number);
  return box.length === 4 && box.every(Number.isFinite) ? { root: document.importNode(root, true), box } : null;
}

/** A stored value, or `otherwise`. */
export function load(key, otherwise) {
  try {
    return JSON.parse(localStorage.getItem(`alea.${key}`)) ?? otherwise;
  } catch {
    return otherwise;
  }
}

export function store(key, value) {
  try {
    localStorage.setItem(`alea.${key}`, JSON.stringify(value));
  } catch {
    // The page also works without storage.
  }
}
