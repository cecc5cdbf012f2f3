import assert from "node:assert/strict";
import { describe, test } from "node:test";
import {
  formatIpAddress,
  isInNetwork,
  isPublicAddress,
  parseIpAddress,
  parseIpNetwork,
} from "../../src/lib/ip-address.ts";

const ADDRESSES: Readonly<Record<string, string>> = {
  "192.0.2.1": "192.0.2.1",
  "0.0.0.0": "0.0.0.0",
  "255.255.255.255": "255.255.255.255",
  "::ffff:192.0.2.1": "192.0.2.1",
  "::FFFF:C000:0201": "192.0.2.1",
  "2001:DB8:0:0:0:0:0:1": "2001:db8::1",
  "2001:db8::192.0.2.1": "2001:db8::c000:201",
  "::": "::",
  "::1": "::1",
  "fe80::1": "fe80::1",
};

describe("parseIpAddress()", () => {
  for (const [text, canonical] of Object.entries(ADDRESSES)) {
    test(`reads ${text}, which formatIpAddress() writes as ${canonical}`, () => {
      const address = parseIpAddress(text);
      assert.ok(address !== undefined);
      assert.equal(formatIpAddress(address), canonical);
      assert.equal(address.length, canonical.includes(":") ? 16 : 4);
    });
  }

  const NONE = [
    "",
    "x",
    "1",
    "192.0.2",
    "192.0.2.256",
    "192.0.2.01",
    "192.0.2.1.",
    " 192.0.2.1",
    "0x7f.0.0.1",
  ]
    .concat(["1:2:3", "1::2::3", "::1%eth0", "[::1]", "::ffff:300.1.1.1", "192.0.2.1:80", ":".repeat(99)]);
  for (const text of NONE) {
    test(`returns undefined for ${JSON.stringify(text)}`, () => {
      assert.equal(parseIpAddress(text), undefined);
    });
  }
});

const MEMBERS:
  readonly (readonly [network: string, inside: readonly string[], outside: readonly string[]])[] = [
    ["10.0.0.0/8", ["10.0.0.0", "10.255.255.255", "::ffff:10.1.2.3"], [
      "11.0.0.0",
      "9.255.255.255",
      "::a00:1",
    ]],
    ["192.0.2.128/25", ["192.0.2.128", "192.0.2.255"], ["192.0.2.127", "192.0.3.128"]],
    ["192.0.2.7", ["192.0.2.7"], ["192.0.2.6", "192.0.2.8"]],
    ["172.16.0.0/12", ["172.16.0.1", "172.31.255.255"], ["172.15.0.1", "172.32.0.0"]],
    ["fd00::/8", ["fd00::1", "fdff:ffff::"], ["fe00::1", "10.0.0.1"]],
    ["2001:db8::/33", ["2001:db8:7fff::1"], ["2001:db8:8000::1"]],
    ["::1", ["::1"], ["::2", "0.0.0.1"]],
    ["0.0.0.0/0", ["0.0.0.0", "255.255.255.255"], ["::1"]],
  ];

describe("isInNetwork()", () => {
  for (const [text, inside, outside] of MEMBERS) {
    test(`knows the addresses in ${text}`, () => {
      const network = parseIpNetwork(text)!;
      for (const address of inside) assert.ok(isInNetwork(parseIpAddress(address)!, network), address);
      for (const address of outside) assert.ok(!isInNetwork(parseIpAddress(address)!, network), address);
    });
  }
});

describe("parseIpNetwork()", () => {
  const NONE = [
    "",
    "/8",
    "10.0.0.0/33",
    "10.0.0.0/",
    "10.0.0.0/08",
    "10.0.0.0/-1",
    "10.0.0.0/8/8",
    "10.0.0.1/8",
  ]
    .concat([
      "2001:db8::/129",
      "2001:db8::1/64",
      "::ffff:10.0.0.0/104",
      "::ffff:10.0.0.1",
      "localhost",
      "10.0.0.0/8x",
    ]);
  for (const text of NONE) {
    test(`returns undefined for ${JSON.stringify(text)}`, () => {
      assert.equal(parseIpNetwork(text), undefined);
    });
  }
});

describe("isPublicAddress()", () => {
  const isPublic = (text: string): boolean => isPublicAddress(parseIpAddress(text)!);
  const PUBLIC =
    "1.1.1.1 9.255.255.255 11.0.0.0 100.128.0.0 172.15.0.1 172.32.0.1 192.0.1.1 223.255.255.255 " +
    "2001:4860:4860::8888 2606:4700::1111 2a00::1 ::ffff:8.8.8.8";
  const PRIVATE =
    "0.0.0.0 10.0.0.1 100.64.0.1 100.127.255.255 127.0.0.1 169.254.169.254 172.16.0.1 172.31.255.255 " +
    "192.0.0.1 192.168.1.1 198.18.0.1 224.0.0.1 255.255.255.255 :: ::1 ::ffff:10.0.0.1 64:ff9b::a00:1 fc00::1 " +
    "fd12::1 fe80::1 fec0::1 ff02::1 2001::1 2001:db8::1 2002:a00:1:: 4000::1";
  for (const text of PUBLIC.split(" ")) test(`is true of ${text}`, () => assert.equal(isPublic(text), true));
  for (const text of PRIVATE.split(" ")) {
    test(`is false of ${text}`, () => assert.equal(isPublic(text), false));
  }
});
