import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { Page } from "playwright-core";
import { utf8 } from "../../src/lib/bytes.ts";

/** The page at the redirect URI. If it has an opener, it posts its query to it. */
const CALLBACK = `<!doctype html><title>Callback</title><h1>Back</h1>
<script>if (opener) opener.postMessage(location.search, location.origin);</script>`;

/** The home page. It opens the pop-up that `?popup=` names, and shows its message. */
const HOME = `<!doctype html><title>Books</title><button>Sign in</button><output></output>
<script>
document.querySelector("button").onclick = () => open(new URLSearchParams(location.search).get("popup"), "sign-in", "popup,width=500,height=700");
addEventListener("message", ({ origin, data }) => {
  if (origin === location.origin) document.querySelector("output").textContent = data;
});
</script>`;

/** An application on its own port. */
export interface RelyingParty {
  readonly origin: string;
  close(): void;
}

/** Starts an application on localhost with a home page and a callback, `/cb`. */
export async function startRelyingParty(): Promise<RelyingParty> {
  const server = createServer((request, response) => {
    response.setHeader("content-type", "text/html; charset=utf-8");
    response.end(request.url!.startsWith("/cb") ? CALLBACK : HOME);
  }).listen(0, "localhost");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return { origin: `http://localhost:${port}`, close: () => void server.close() };
}

/** Serves the callback page for a host that does not exist. Playwright's own routes do not see redirects. */
export async function answerInPlaceOf(page: Page, origin: string): Promise<void> {
  const session = await page.context().newCDPSession(page);
  session.on("Fetch.requestPaused", ({ requestId }) => {
    const responseHeaders = [{ name: "content-type", value: "text/html" }];
    const body = utf8(CALLBACK).toBase64();
    void session.send("Fetch.fulfillRequest", { requestId, responseCode: 200, responseHeaders, body });
  });
  await session.send("Fetch.enable", { patterns: [{ urlPattern: `${origin}/*` }] });
}
