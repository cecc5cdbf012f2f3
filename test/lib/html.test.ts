import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { html } from "../../src/lib/html.ts";

describe("html", () => {
  test("leaves out the indentation of a template, and keeps that of its values", () => {
    const value = "a\n    b";
    const inner = html`
      <pre>${value}</pre>
    `;
    assert.equal(String(html`<p>${inner} two  blanks</p>`), "<p>\n<pre>a\n    b</pre>\n two  blanks</p>");
  });
});
