import assert from "node:assert/strict";
import { afterEach, beforeEach, describe, test } from "node:test";
import { ApiError } from "../../src/ui/browser/api.client.js";
import { fetchDocument } from "../../src/ui/browser/document.client.js";

// Tests of the request. Browser tests cover the use of the document.

/** A response of XMLHttpRequest. */
interface Answer {
  readonly event?: "load" | "error" | "timeout";
  readonly status?: number;
  readonly url?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly text?: string;
  /** The parsed document, or undefined if the response is not HTML. */
  readonly document?: object;
}

const ORIGIN = "https://keys.example";
let answer: Answer;
let sent: { method?: string; path?: string; body?: unknown; headers: Record<string, string> };

class FakeRequest extends EventTarget {
  static readonly HEADERS_RECEIVED = 2;
  readyState = 0;
  status = 0;
  responseType = "";
  timeout = 0;
  open(method: string, path: string): void {
    Object.assign(sent, { method, path });
  }
  setRequestHeader(name: string, value: string): void {
    sent.headers[name] = value;
  }
  send(body: unknown): void {
    sent.body = body;
    const { event = "load", status = 200 } = answer;
    if (event === "load") {
      this.status = status;
      this.readyState = 2;
      this.dispatchEvent(new Event("readystatechange"));
    }
    this.dispatchEvent(new Event(event));
  }
  get responseURL(): string {
    return answer.url ?? ORIGIN + sent.path!;
  }
  get responseText(): string {
    if (this.responseType !== "") throw new DOMException("Not text", "InvalidStateError");
    return answer.text ?? "";
  }
  get responseXML(): object | null {
    return this.responseType === "document" ? answer.document ?? null : null;
  }
  getResponseHeader(name: string): string | null {
    return answer.headers?.[name] ?? null;
  }
}

describe("fetchDocument()", () => {
  beforeEach(() => {
    sent = { headers: {} };
    Reflect.set(globalThis, "XMLHttpRequest", FakeRequest);
    Reflect.set(globalThis, "location", { href: `${ORIGIN}/keys/key_1` });
  });
  afterEach(() => {
    Reflect.deleteProperty(globalThis, "XMLHttpRequest");
    Reflect.deleteProperty(globalThis, "location");
  });

  test("sends the text unchanged, including numbers beyond 2^53 and repeated members", async () => {
    const document = {};
    answer = { document };
    const text = '{ "a": 9007199254740993, "a": 1 }';
    assert.equal(await fetchDocument("POST", "/api/keys/key_1/explain?language=de", text), document);
    assert.deepEqual(sent, {
      method: "POST",
      path: "/api/keys/key_1/explain?language=de",
      body: text,
      headers: { accept: "text/html", "content-type": "application/json" },
    });
    await fetchDocument("GET", "/keys");
    assert.deepEqual([sent.body, sent.method], [null, "GET"]);
  });

  test("throws the problem with its request id, errors and Retry-After", async () => {
    const errors = [{ path: "/types/Mail/0/type", message: "No" }];
    answer = {
      status: 429,
      headers: { "content-type": "application/problem+json", "retry-after": "7", "x-request-id": "abc" },
      text: JSON.stringify({ code: "rate_limited", detail: "Too many", errors }),
    };
    const problem = {
      status: 429,
      code: "rate_limited",
      detail: "Too many",
      requestId: "abc",
      retryAfter: 7,
    };
    await assert.rejects(fetchDocument("POST", "/x", "{}"), (error) => {
      assert.ok(error instanceof ApiError);
      assert.deepEqual(error.problem, { ...problem, errors });
      return true;
    });
  });

  test("distinguishes a timeout from a failed connection", async () => {
    answer = { event: "timeout" };
    await assert.rejects(fetchDocument("GET", "/keys"), { name: "TimeoutError" });
    answer = { event: "error" };
    await assert.rejects(fetchDocument("GET", "/keys"), TypeError);
  });

  test("refuses a document of another path, and anything but HTML", async () => {
    answer = { document: {}, url: `${ORIGIN}/sign-in?next=%2Fkeys` };
    await assert.rejects(fetchDocument("GET", "/keys"), TypeError);
    answer = {};
    await assert.rejects(fetchDocument("GET", "/keys"), TypeError);
  });
});
