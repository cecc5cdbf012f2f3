import assert from "node:assert/strict";
import { describe, test } from "node:test";
import defaultTokens from "@uniswap/default-token-list" with { type: "json" };
import {
  entryPoint06Address,
  entryPoint07Address,
  entryPoint08Address,
  entryPoint09Address,
} from "viem/account-abstraction";
import * as chains from "viem/chains";
import { readAddress, toChecksumAddress } from "../../src/ethereum/address.ts";
import { CHAINS } from "../../src/clear-signing/registry/chains.ts";
import { CONTRACTS } from "../../src/clear-signing/registry/contracts.ts";
import { findListedToken } from "../../src/clear-signing/registry/listed-tokens.ts";
import { TOKEN_LIST } from "../../src/clear-signing/registry/token-list.ts";
import { createDirectory, findContract, findToken, isKnown } from "../../src/clear-signing/directory.ts";
import { TOKENS } from "../../src/clear-signing/registry/tokens.ts";

const USDC = "0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48";

describe("TOKENS", () => {
  for (const { chainId, address, symbol, decimals } of TOKENS) {
    test(`${symbol} of chain ${chainId} is what Uniswap's list says it is`, () => {
      const listed = defaultTokens.tokens.find((token) =>
        token.chainId === Number(chainId) && token.address === address
      );
      assert.deepEqual([listed?.symbol, listed?.decimals], [symbol, decimals]);
    });
  }

  test("no token is repeated, and every address has its checksum", () => {
    assert.equal(new Set(TOKENS.map(({ chainId, address }) => chainId + address)).size, TOKENS.length);
    for (const { address } of [...TOKENS, ...CONTRACTS]) {
      assert.equal(toChecksumAddress(readAddress(address)!), address);
    }
  });
});

describe("CHAINS", () => {
  for (const [chainId, { name, currency }] of Object.entries(CHAINS)) {
    test(`${chainId} is ${name}, as viem has it`, () => {
      const known = Object.values(chains).find((chain) => chain.id === Number(chainId));
      assert.deepEqual(
        [known?.name, known?.nativeCurrency.symbol, known?.nativeCurrency.decimals],
        [name, currency, 18],
      );
    });
  }
});

describe("CONTRACTS", () => {
  test("the entry points and Multicall3 are at viem's addresses", () => {
    const addressOf = (name: string): string | undefined =>
      CONTRACTS.find((one) => one.name === name)?.address;
    const entryPoints = {
      "0.6": entryPoint06Address,
      "0.7": entryPoint07Address,
      "0.8": entryPoint08Address,
      "0.9": entryPoint09Address,
    };
    for (const [version, address] of Object.entries(entryPoints)) {
      assert.equal(addressOf(`EntryPoint ${version}`), address);
    }
    assert.equal(
      addressOf("Multicall3")?.toLowerCase(),
      chains.mainnet.contracts.multicall3.address.toLowerCase(),
    );
  });
});

describe("createDirectory()", () => {
  test("createDirectory() knows a token on its own chain only, and the later one of two", () => {
    const directory = createDirectory([{ chainId: "5", address: USDC, symbol: "TEST", decimals: 3 }], []);
    assert.equal(findToken(directory, "1", USDC)?.symbol, "USDC");
    assert.equal(findToken(directory, "5", USDC)?.symbol, "TEST");
    assert.equal(findToken(directory, "10", USDC), undefined);
    assert.equal(findToken(directory, null, USDC), undefined);
    const other = createDirectory([{ chainId: "1", address: USDC, symbol: "MINE", decimals: 3 }], []);
    assert.equal(findToken(other, "1", USDC)?.symbol, "MINE");
  });

  test("createDirectory() knows a contract on its chains", () => {
    const directory = createDirectory([], []);
    const [universal, everywhere] = [
      "0x66a9893cC07D91D95644AEDD05D03f95e1dBA8Af",
      "0x000000000022D473030F116dDEE9F6B43aC78BA3",
    ];
    assert.equal(findContract(directory, "1", universal)?.name, "Uniswap Universal Router 2");
    assert.equal(findContract(directory, "8453", universal), undefined);
    assert.equal(findContract(directory, null, universal), undefined);
    assert.equal(findContract(directory, null, everywhere)?.name, "Permit2");
    assert.deepEqual([isKnown(directory, "1", USDC), isKnown(directory, "10", USDC)], [true, false]);
  });
});

describe("findListedToken()", () => {
  const stEth = "0xae7ab96520DE3A18E5e111B5EaAb095312D7fE84";

  test("findListedToken() finds a token on its own chain only", () => {
    assert.deepEqual(findListedToken("1", stEth), {
      chainId: "1",
      address: stEth,
      symbol: "STETH",
      decimals: 18,
    });
    assert.equal(findListedToken("10", stEth), undefined);
    assert.equal(findListedToken("987654", stEth), undefined);
    assert.equal(findListedToken("constructor", stEth), undefined);
  });

  test("findListedToken() adds the address to a symbol that several tokens of a chain have, or that is built in", () => {
    const usdc = findListedToken("1", USDC);
    assert.equal(usdc?.symbol, "USDC (0xa0b8…eb48)");
    const symbols = TOKEN_LIST["1"]!.split(" ").filter((_, index) => index % 3 === 2);
    assert.ok(symbols.length > 10_000, String(symbols.length));
  });

  test("findListedToken() yields to the built-in and the configured tokens", () => {
    const directory = createDirectory([{ chainId: "1", address: stEth, symbol: "MINE", decimals: 3 }], []);
    assert.equal(findToken(directory, "1", stEth)?.symbol, "MINE");
    assert.equal(findToken(directory, "1", USDC)?.symbol, "USDC");
    assert.equal(findToken(createDirectory([], []), "1", stEth)?.symbol, "STETH");
  });

  test("TOKEN_LIST has an address, decimals and a symbol of each token, in the order of addresses", () => {
    for (const [chainId, list] of Object.entries(TOKEN_LIST)) {
      assert.match(list, /^(?:[0-9a-f]{40} \d{1,3} [!-~\u00A1-\uFFFD]{1,32}(?: |$))+$/, chainId);
      const addresses = list.split(" ").filter((_, index) => index % 3 === 0);
      assert.deepEqual(addresses, [...new Set(addresses)].sort(), chainId);
    }
  });
});
