// Sends requests to the page's server, as transport.js; an exported page has transport-wasm.js instead.

/**
 * `{status, answer}` of a request: 200, or 400 if the same request would fail again, or 503. `receive`
 * gets all answers of a stream but the last. Throws an `Error` "offline" without a server.
 */
export async function send(question, signal, receive) {
  const response = await post("/api", JSON.stringify(question), signal);
  if (!/ndjson/.test(response.headers.get("Content-Type"))) return jsonAnswer(response);
  let [text, last] = ["", null];
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  for (let chunk = await reader.read(); !chunk.done; chunk = await reader.read()) {
    text += chunk.value;
    const lines = text.split("\n");
    text = lines.pop();
    for (const line of lines) {
      if (last) receive(last);
      last = JSON.parse(line);
    }
  }
  if (!last) throw new Error("offline");
  return { status: last.error === undefined ? 200 : 503, answer: last };
}

/** Sends a file of games. */
export async function sendFile(file) {
  return jsonAnswer(await post("/records", file));
}

async function post(path, body, signal) {
  try {
    const headers = { "Content-Type": "application/json" };
    return await fetch(path, { method: "POST", headers, body, signal });
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new Error("offline");
  }
}

async function jsonAnswer(response) {
  const answer = await response.json().catch(() => ({}));
  return { status: response.status, answer };
}
