// Serves a directory to the page's check, as any web server would: `serve.mjs DIR`. Prints its address.
import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import { extname, join } from "node:path";

const KINDS = { ".html": "text/html", ".css": "text/css", ".js": "text/javascript", ".svg": "image/svg+xml", ".wasm": "application/wasm" };

const server = createServer(async ({ url }, response) => {
  const name = new URL(url, "http://localhost").pathname.slice(1) || "index.html";
  try {
    const content = await readFile(join(process.argv[2], name));
    response.writeHead(200, { "Content-Type": KINDS[extname(name)] ?? "application/octet-stream" }).end(content);
  } catch {
    response.writeHead(404).end();
  }
});
server.listen(0, "127.0.0.1", () => console.log(`http://127.0.0.1:${server.address().port}/`));
