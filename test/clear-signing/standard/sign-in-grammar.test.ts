import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { readSignIn } from "../../../src/clear-signing/standard/sign-in.ts";
import { runsOf, seedOf } from "../../support/share.ts";
import { SIGNER } from "../documents.ts";
import { type Draw, generate, matches, readGrammar } from "./grammar.ts";

/** The grammar of EIP-4361, with the rules that it takes from RFC 3986, RFC 3339 and RFC 5234. */
const STANDARD = `
sign-in = [ scheme "://" ] domain %s" wants you to sign in with your Ethereum account:" LF address LF LF [ statement LF ] LF %s"URI: " URI LF %s"Version: " "1" LF %s"Chain ID: " chain-id LF %s"Nonce: " nonce LF %s"Issued At: " date-time [ LF %s"Expiration Time: " date-time ] [ LF %s"Not Before: " date-time ] [ LF %s"Request ID: " *pchar ] [ LF %s"Resources:" *( LF "- " URI ) ]
domain = [ userinfo "@" ] host [ ":" port ]
address = "0x" 40HEXDIG
statement = *( gen-delims / sub-delims / unreserved / " " )
chain-id = 1*DIGIT
nonce = 8*( ALPHA / DIGIT )
URI = scheme ":" hier-part [ "?" query ] [ "#" query ]
hier-part = "//" [ userinfo "@" ] ( host / *0DIGIT ) [ ":" port ] *( "/" *pchar ) / "/" [ 1*pchar *( "/" *pchar ) ] / 1*pchar *( "/" *pchar ) / *0pchar
scheme = ALPHA *( ALPHA / DIGIT / "+" / "-" / "." )
userinfo = *( unreserved / pct-encoded / sub-delims / ":" )
host = IP-literal / 1*( unreserved / pct-encoded / sub-delims )
port = *DIGIT
IP-literal = "[" ( IPv6address / IPvFuture ) "]"
IPvFuture = "v" 1*HEXDIG "." 1*( unreserved / sub-delims / ":" )
IPv6address = 6( h16 ":" ) ls32 / "::" 5( h16 ":" ) ls32 / [ h16 ] "::" 4( h16 ":" ) ls32 / [ *1( h16 ":" ) h16 ] "::" 3( h16 ":" ) ls32 / [ *2( h16 ":" ) h16 ] "::" 2( h16 ":" ) ls32 / [ *3( h16 ":" ) h16 ] "::" h16 ":" ls32 / [ *4( h16 ":" ) h16 ] "::" ls32 / [ *5( h16 ":" ) h16 ] "::" h16 / [ *6( h16 ":" ) h16 ] "::"
h16 = 1*4HEXDIG
ls32 = h16 ":" h16 / IPv4address
IPv4address = dec-octet "." dec-octet "." dec-octet "." dec-octet
dec-octet = DIGIT / %x31-39 DIGIT / "1" 2DIGIT / "2" %x30-34 DIGIT / "25" %x30-35
query = *( pchar / "/" / "?" )
pchar = unreserved / pct-encoded / sub-delims / ":" / "@"
pct-encoded = "%" HEXDIG HEXDIG
unreserved = ALPHA / DIGIT / "-" / "." / "_" / "~"
gen-delims = ":" / "/" / "?" / "#" / "[" / "]" / "@"
sub-delims = "!" / "$" / "&" / "'" / "(" / ")" / "*" / "+" / "," / ";" / "="
date-time = 4DIGIT "-" 2DIGIT "-" 2DIGIT "T" 2DIGIT ":" 2DIGIT ":" 2DIGIT [ "." 1*DIGIT ] ( "Z" / ( "+" / "-" ) 2DIGIT ":" 2DIGIT )
ALPHA = %x41-5A / %x61-7A
DIGIT = %x30-39
HEXDIG = DIGIT / %x41-46 / %x61-66
LF = %x0A`;

/** The rules in which the reader is stricter. */
const STRICTER = `
domain = host [ ":" port ]
address = %s"${SIGNER}"
chain-id = "0" / %x31-39 *8DIGIT
date-time = "20" 2DIGIT "-" ( "0" %x31-39 / "1" %x30-32 ) "-" ( "0" %x31-39 / "1" DIGIT / "2" %x30-38 ) time
time = %s"T" ( %x30-31 DIGIT / "2" %x30-33 ) ":" %x30-35 DIGIT ":" %x30-35 DIGIT [ "." 1*9DIGIT ] ( %s"Z" / ( "+" / "-" ) ( %x30-31 DIGIT / "2" %x30-33 ) ":" %x30-35 DIGIT )`;

const GRAMMAR = readGrammar(STANDARD);
const OURS = readGrammar(STANDARD + STRICTER);

/** The count in `npm run fuzz`. The gate tries a tenth. */
const MESSAGES = 1_000;

function drawFrom(seed: number): Draw {
  let state = seedOf(seed) || 1;
  return (bound) => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) % bound;
  };
}

const PIECES = [
  "\n",
  " ",
  "%",
  "%4",
  "[",
  "]",
  "::",
  "#",
  "/",
  "@",
  "é",
  "\u200B",
  "Resources: ",
  "- ",
  "URI: ",
  "0",
  "",
];

function changed(text: string, draw: Draw): string {
  const at = draw(text.length + 1);
  return text.slice(0, at) + PIECES[draw(PIECES.length)] + text.slice(at + draw(3));
}

describe("readSignIn()", () => {
  test(`readSignIn() accepts ${MESSAGES} messages that the grammar of EIP-4361 generates`, {
    timeout: 60_000,
  }, () => {
    const draw = drawFrom(21);
    for (let count = 0; count < runsOf(MESSAGES); count++) {
      const text = generate(OURS, "sign-in", draw);
      if (count % 10 === 0) assert.ok(matches(GRAMMAR, "sign-in", text), JSON.stringify(text));
      assert.notEqual(readSignIn(text), undefined, JSON.stringify(text));
    }
  });

  test(`readSignIn() accepts none of ${MESSAGES} changed messages that the grammar of EIP-4361 excludes`, {
    timeout: 60_000,
  }, () => {
    const draw = drawFrom(22);
    const counts = { accepted: 0, excluded: 0 };
    for (let count = 0; count < runsOf(MESSAGES); count++) {
      const text = changed(generate(OURS, "sign-in", draw), draw);
      if (readSignIn(text) !== undefined) counts.accepted++;
      if (matches(GRAMMAR, "sign-in", text)) continue;
      counts.excluded++;
      assert.equal(readSignIn(text), undefined, JSON.stringify(text));
    }
    // Few changes leave a sign-in, so any seed must give one.
    assert.ok(counts.accepted > 0 && counts.excluded > runsOf(400), JSON.stringify(counts));
  });

  test("readSignIn() does not accept a text behind the label of the resources", () => {
    const text = generate(OURS, "sign-in", drawFrom(23)).split("\nResources:")[0]!;
    assert.notEqual(readSignIn(`${text}\nResources:`), undefined);
    assert.equal(readSignIn(`${text}\nResources: any text`), undefined);
  });
});
