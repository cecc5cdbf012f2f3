import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { LogoError, readLogo } from "../../src/config/logo.ts";

const SVG = `<?xml version="1.0" encoding="UTF-8"?>
<!-- Made by hand -->
<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" viewBox="0 0 24 24">
  <title>Tom &amp; Ada</title>
  <defs><linearGradient id="a"><stop offset='0' stop-color="rgb(1, 2, 3)"/></linearGradient></defs>
  <g transform="translate(1 2) rotate(3)"><path fill="url(#a)" d="M0 0h24v24z"/></g>
  <use xlink:href="#a"/>
</svg>
`;

function bytes(text: string): Uint8Array<ArrayBuffer> {
  return new TextEncoder().encode(text);
}

/** Creates the start of a PNG: signature, IHDR with its CRC. */
function png(width: number, height: number, length = 33): Uint8Array<ArrayBuffer> {
  const file = new Uint8Array(length);
  file.set([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0, 0, 0, 13, 0x49, 0x48, 0x44, 0x52]);
  const view = new DataView(file.buffer);
  if (length >= 24) {
    view.setUint32(16, width);
    view.setUint32(20, height);
  }
  return file;
}

/** Returns an SVG with this content of its root element. */
function drawing(content: string): string {
  return `<svg xmlns="http://www.w3.org/2000/svg">${content}</svg>`;
}

function faultOf(file: Uint8Array<ArrayBuffer>): string | undefined {
  try {
    readLogo(file);
    return undefined;
  } catch (error) {
    assert.ok(error instanceof LogoError, String(error));
    return error.message;
  }
}

const REFUSED: Readonly<Record<string, readonly [file: string | Uint8Array<ArrayBuffer>, message: RegExp]>> =
  {
    "an empty file": ["", /not a whole SVG/],
    "text": ["logo", /no text/],
    "HTML": ["<html></html>", /one svg element/],
    "bytes that are no UTF-8": [Uint8Array.of(0xff, 0xd8, 0xff), /neither a PNG nor an SVG/],
    "a PNG that is cut": [png(64, 64, 20), /whole PNG/],
    "a PNG that is not square": [png(64, 65), /square/],
    "a PNG that is too small": [png(15, 15), /16 to 1024/],
    "a PNG that is too large": [png(1025, 1025), /16 to 1024/],
    "a script": [drawing("<script>alert(1)</script>"), /element script/],
    "a script in a foreign namespace": [drawing("<x:script>1</x:script>"), /element x:script/],
    "embedded HTML": [drawing("<foreignObject/>"), /element foreignObject/],
    "an image": [drawing('<image href="#a"/>'), /element image/],
    "a link": [drawing('<a href="#a"/>'), /element a/],
    "an animation": [drawing('<animate attributeName="href" to="#a"/>'), /element animate/],
    "a style sheet": [drawing("<style>*{}</style>"), /element style/],
    "a style": [drawing('<path style="fill:red"/>'), /attribute style/],
    "an event": [drawing('<path onload="alert(1)"/>'), /attribute onload/],
    "an event in capitals": [drawing('<path OnClick="alert(1)"/>'), /attribute OnClick/],
    "a foreign reference": [drawing('<use href="https://example.com/#a"/>'), /#name/],
    "a foreign reference by prefix": [drawing('<use xlink:href="//example.com/#a"/>'), /#name/],
    "a data URL": [drawing('<use href="data:image/svg+xml,x"/>'), /#name/],
    "a foreign paint": [drawing('<path fill="url(https://example.com/#a)"/>'), /#name/],
    "a foreign paint in quotes": [drawing(`<path fill="url('//example.com/#a')"/>`), /#name/],
    "a foreign paint by another function": [drawing(`<path fill="image-set('a.png' 1x)"/>`), /#name/],
    "a base": [drawing('<g xml:base="https://example.com/"/>'), /#name/],
    "a character reference": [drawing('<use href="&#104;ttps://example.com/"/>'), /#name/],
    "an escape": [drawing(String.raw`<path fill="u\72l(//example.com)"/>`), /#name/],
    "another namespace": [drawing('<g xmlns="http://www.w3.org/1999/xhtml"/>'), /attribute xmlns/],
    "a prefix for a namespace": [drawing('<g xmlns:h="http://www.w3.org/1999/xhtml"/>'), /attribute xmlns:h/],
    "no namespace": ["<svg></svg>", /attribute xmlns/],
    "a document type": [`<!DOCTYPE svg [<!ENTITY a "b">]>${drawing("")}`, /document type/],
    "character data": [drawing("<title><![CDATA[<]]></title>"), /well-formed/],
    "another encoding": [`<?xml version="1.0" encoding="ISO-2022-JP"?>${drawing("")}`, /well-formed/],
    "a style sheet by instruction": [`<?xml-stylesheet href="a.css"?>${drawing("")}`, /well-formed/],
    "text outside of a title": [drawing("text"), /no text/],
    "two roots": [drawing("") + drawing(""), /one svg element/],
    "an open element": [drawing("<g>"), /well-formed/],
    "an open root": ['<svg xmlns="http://www.w3.org/2000/svg">', /not a whole SVG/],
    "an attribute twice": [drawing('<use href="#a" href="#b"/>'), /two attributes href/],
    "an attribute without quotes": [drawing("<path fill=red/>"), /well-formed/],
  };

describe("readLogo()", () => {
  test("returns a file of its own path and type", () => {
    const svg = readLogo(bytes(SVG));
    assert.match(svg.path, /^\/assets\/[0-9a-f]{16}\/logo\.svg$/);
    assert.deepEqual([svg.type, svg.body], ["image/svg+xml", SVG]);
    const image = readLogo(png(64, 64));
    assert.match(image.path, /^\/assets\/[0-9a-f]{16}\/logo\.png$/);
    assert.deepEqual([image.type, image.body], ["image/png", png(64, 64)]);
  });

  for (const [name, [file, message]] of Object.entries(REFUSED)) {
    test(`refuses ${name}`, () => {
      assert.match(faultOf(typeof file === "string" ? bytes(file) : file) ?? "nothing", message);
    });
  }

  test("ends in time that grows with the length of a hostile file", () => {
    for (const part of ["<!-", "<g ", 'a="b" ', "<g a='", "url(", "<!----", "a-a "]) {
      assert.notEqual(faultOf(bytes(`<svg ${part.repeat(30_000)}`)), undefined);
      assert.notEqual(
        faultOf(bytes(drawing(`<path d="${part.replaceAll(/[<"]/g, "").repeat(30_000)}`))),
        undefined,
      );
    }
  });
});
