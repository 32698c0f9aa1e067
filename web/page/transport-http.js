// Carries questions to the server that the page came from. An exported page has carrier-worker.js instead.

/**
 * `{status, answer}` of a question: 200, or 400 if the same question will get no better answer, or
 * 503. If it asks for a stream, `tell` hears all answers but the last. Throws an `Error` "offline" if
 * nobody answers.
 */
export async function carry(question, signal, tell) {
  const response = await post("/api", JSON.stringify(question), signal);
  if (!/ndjson/.test(response.headers.get("Content-Type"))) return whole(response);
  let [text, last] = ["", null];
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  for (let piece = await reader.read(); !piece.done; piece = await reader.read()) {
    text += piece.value;
    const lines = text.split("\n");
    text = lines.pop();
    for (const line of lines) {
      if (last) tell(last);
      last = JSON.parse(line);
    }
  }
  if (!last) throw new Error("offline");
  return { status: last.error === undefined ? 200 : 503, answer: last };
}

/** The same for the games of a file. */
export async function carryFile(file) {
  return whole(await post("/records", file));
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

async function whole(response) {
  const answer = await response.json().catch(() => ({}));
  return { status: response.status, answer };
}
