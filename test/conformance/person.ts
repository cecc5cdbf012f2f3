import assert from "node:assert/strict";
import { signIn, signUp } from "../support/client.ts";
import type { Answer, Client } from "../support/client.ts";
import { postForm } from "../support/oauth.ts";
import type { Fields } from "../support/oauth.ts";
import type { Op } from "./op.ts";

/** The pages of the provider where a person acts. */
export type Page = "/sign-in" | "/consent" | "/end-session";

/** The end of a chain of redirects, with the pages at which the person acted. */
export interface Ending {
  readonly at: URL;
  /** The last response. Undefined if the browser left the provider. */
  readonly answer: Answer | undefined;
  readonly shown: readonly Page[];
}

/** The button pressed on the consent page. */
export type Decision = "approve" | "deny";

let people = 0;

/** Signs up a new person. Returns their browser. */
export async function newPerson(op: Op): Promise<Client> {
  const browser = op.client();
  await signUp(browser, `person-${++people}@example.com`);
  return browser;
}

/** Follows a link in the person's browser, and acts on each page. */
export async function visit(
  op: Op,
  browser: Client,
  url: string,
  decision: Decision = "approve",
): Promise<Ending> {
  const at = new URL(url);
  return await follow(op, browser, { at, answer: await browser.get(at.pathname + at.search) }, decision);
}

/** Posts a client's form to the provider from another site. */
export async function submit(op: Op, browser: Client, path: string, form: Fields): Promise<Ending> {
  const headers = { origin: "https://rp.example", "sec-fetch-site": "cross-site" };
  // Browsers do not send cookies with SameSite=Lax when another site posts.
  const answer = await postForm({ ...browser, request: crossSite(browser) }, path, form, headers);
  return await follow(op, browser, { at: new URL(path, op.origin), answer }, "approve");
}

function crossSite(browser: Client): Client["request"] {
  return async (...request) => {
    const kept = [...browser.cookies];
    browser.cookies.clear();
    const answer = await browser.request(...request);
    for (const [name, value] of kept) browser.cookies.set(name, value);
    return answer;
  };
}

async function follow(
  op: Op,
  browser: Client,
  first: { readonly at: URL; readonly answer: Answer },
  decision: Decision,
): Promise<Ending> {
  const shown: Page[] = [];
  let { at, answer } = first;
  for (let steps = 0; steps < 12; steps++) {
    const location = answer.headers.get("location");
    if (location !== null) {
      assert.ok([302, 303].includes(answer.status), `a redirect with ${answer.status} may repeat a form`);
      at = new URL(location, at);
      if (at.origin !== op.origin) return { at, answer: undefined, shown };
      answer = await browser.get(at.pathname + at.search);
      continue;
    }
    const act = answer.status === 200 ? ACTS[at.pathname] : undefined;
    if (act === undefined) return { at, answer, shown };
    shown.push(at.pathname as Page);
    // Time passes while a person reads a page.
    op.pass(1);
    const request = at.searchParams.get("request") ?? "";
    answer = await act(browser, request, decision);
    if (at.pathname === "/sign-in") at = new URL(`/consent?request=${request}`, at);
  }
  throw new assert.AssertionError({ message: "the browser is redirected in a circle" });
}

type Act = (browser: Client, request: string, decision: Decision) => Promise<Answer>;

const ACTS: Readonly<Record<string, Act>> = {
  "/sign-in": async (browser, request) => {
    assert.equal((await signIn(browser)).status, 200);
    return await browser.get(`/consent?request=${request}`);
  },
  "/consent": (browser, request, decision) => postForm(browser, "/consent", { request, decision }),
  "/end-session": (browser, request) => postForm(browser, "/end-session", { request, decision: "sign_out" }),
};

export async function isSignedIn(browser: Client): Promise<boolean> {
  return (await browser.get("/api/auth/session")).body.session !== null;
}
