import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { networkOf, widen } from "../../src/lib/ip-address.ts";

const NETWORKS: Record<string, string> = {
  "192.0.2.1": "192.0.2.1",
  "127.0.0.1": "127.0.0.1",
  "255.255.255.255": "255.255.255.255",
  "2001:db8:1:2:3:4:5:6": "2001:db8:1:2::/64",
  "2001:DB8:1:2::": "2001:db8:1:2::/64",
  "2001:0db8:0001:0002:ffff:ffff:ffff:ffff": "2001:db8:1:2::/64",
  "2001:db8::1": "2001:db8:0:0::/64",
  "::1": "0:0:0:0::/64",
  "::": "0:0:0:0::/64",
  "fe80::1%eth0": "fe80:0:0:0::/64",
  "::ffff:192.0.2.1": "192.0.2.1",
  "::ffff:c000:201": "192.0.2.1",
  "64:ff9b::192.0.2.1": "64:ff9b:0:0::/64",
};

describe("networkOf()", () => {
  for (const [address, network] of Object.entries(NETWORKS)) {
    test(`returns ${network} for ${address}`, () => {
      assert.equal(networkOf(address), network);
    });
  }

  for (
    const address of [
      "",
      "unknown",
      "192.0.2",
      "192.0.2.256",
      "192.0.2.1.",
      "0x7f.1",
      "1:2:3",
      "1::2::3",
      "]/",
      "::1]/[",
      "/run/holdfast.sock",
    ]
  ) {
    test(`maps every invalid address to one network: ${JSON.stringify(address)}`, () => {
      assert.equal(networkOf(address), "unknown");
    });
  }
});

describe("widen()", () => {
  const WIDER: readonly (readonly [address: string, customer: string, site: string, region: string])[] = [
    ["192.0.2.1", "192.0.2.1", "192.0.2.0/24", "192.0.0.0/16"],
    ["::ffff:192.0.2.1", "192.0.2.1", "192.0.2.0/24", "192.0.0.0/16"],
    ["2001:db8:1:2:3:4:5:6", "2001:db8:1::/48", "2001:db8:1::/48", "2001:db8::/32"],
    ["::1", "0:0:0::/48", "0:0:0::/48", "0:0::/32"],
    ["nonsense", "unknown", "unknown", "unknown"],
  ];
  for (const [address, ...wider] of WIDER) {
    test(`returns ${wider.join(", ")} for the network of ${address}`, () => {
      const network = networkOf(address);
      assert.deepEqual((["customer", "site", "region"] as const).map((to) => widen(network, to)), wider);
    });
  }
});
