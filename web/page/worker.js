// An engine: it is sent the compiled module, then the text of one question at a time (docs/api.md).

let engine = null;

onmessage = ({ data }) => {
  if (data instanceof WebAssembly.Module) {
    engine = new WebAssembly.Instance(data, { alea: { now: () => performance.now() } }).exports;
    return;
  }
  const text = new TextEncoder().encode(data);
  const start = engine.request(text.length);
  if (start === 0) {
    postMessage({ isLasting: true, answer: { error: "a request has at most 65536 bytes" } });
    return;
  }
  // Its memory may have grown, so it is looked at anew each time.
  new Uint8Array(engine.memory.buffer, start, text.length).set(text);
  const length = engine.respond();
  const answer = new TextDecoder().decode(new Uint8Array(engine.memory.buffer, engine.answer_start(), length));
  postMessage({ isLasting: engine.is_lasting() !== 0, answer: JSON.parse(answer) });
};
