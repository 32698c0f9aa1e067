// Carries questions to the server that the page came from. An exported page has carrier-worker.js instead.

/**
 * `{status, answer}` of a question: 200, or 400 if the same question will get no better answer, or
 * 503. Throws an `Error` "offline" if nobody answers.
 */
export async function carry(question, signal) {
  let response;
  try {
    response = await fetch("/api", {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify(question),
      signal,
    });
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new Error("offline");
  }
  const answer = await response.json().catch(() => ({}));
  return { status: response.status, answer };
}
