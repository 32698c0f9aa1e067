// An engine: it receives the compiled module, then the text of one request at a time (docs/reference/api.md).

let engine = null;

function read(start, length) {
  // The buffer changes when the memory grows.
  return JSON.parse(new TextDecoder().decode(new Uint8Array(engine.memory.buffer, start, length)));
}

const alea = {
  now: () => performance.now(),
  tell: (start, length) => postMessage({ isLast: false, answer: read(start, length) }),
};

onmessage = ({ data }) => {
  if (data instanceof WebAssembly.Module) {
    engine = new WebAssembly.Instance(data, { alea }).exports;
    return;
  }
  const text = new TextEncoder().encode(data);
  const start = engine.request(text.length);
  if (start === 0) {
    postMessage({ isLast: true, answer: { error: "a request has at most 65536 bytes" } });
    return;
  }
  new Uint8Array(engine.memory.buffer, start, text.length).set(text);
  const length = engine.respond();
  postMessage({ isLast: true, answer: read(engine.answer_start(), length) });
};
