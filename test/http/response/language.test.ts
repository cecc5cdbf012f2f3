import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { acceptedLanguage } from "../../../src/http/response/language.ts";
import { createTestApp } from "../../support/app.ts";

describe("acceptedLanguage()", () => {
  const CASES = [
    ["de", "de"],
    ["DE-ch", "de"],
    ["de-Latn-AT-1996", "de"],
    ["en-GB, de", "en"],
    ["de, en-GB", "de"],
    ["en;q=0.5, de;q=0.501", "de"],
    ["en;q=0.8, de;q=0.7", "en"],
    ["en; q=0.1 , de ;q=0.9", "de"],
    ["fr-FR, fr;q=0.9, de;q=0.4, en;q=0.3", "de"],
    ["fr, *;q=0.1", "en"],
    ["*, en;q=0.5", "de"],
    ["en;q=0, *", "de"],
    ["de;q=0, *", "en"],
    ["de;q=0", "en"],
    ["en;q=0, de;q=0", "en"],
    ["de-AT;q=0.2, de;q=0.9, en;q=0.5", "de"],
    ["fr", "en"],
    ["", "en"],
    [null, "en"],
    ["deutsch", "en"],
    ["de;q=2", "en"],
    ["de;q=-1", "en"],
    ["de;q=0.1234", "en"],
    ["de;level=1", "en"],
    ["d e", "en"],
    [",,, de ,,", "de"],
  ] as const;
  for (const [header, language] of CASES) {
    test(`is ${language} for ${header} (RFC 9110 sections 12.4.2 and 12.5.4)`, () => {
      assert.equal(
        acceptedLanguage(new Headers(header === null ? {} : { "accept-language": header })),
        language,
      );
    });
  }

  test("ignores a header of more than 1000 characters", () => {
    const header = (length: number): Headers =>
      new Headers({ "accept-language": `de,${"a,".repeat(length)}` });
    assert.equal(acceptedLanguage(header(498)), "de");
    assert.equal(acceptedLanguage(header(499)), "en");
  });
});

describe("a page", () => {
  for (
    const [header, language, title] of [["de-DE,de;q=0.9", "de", "Anmelden"], [
      "en",
      "en",
      "Sign in",
    ]] as const
  ) {
    test(`is in ${language} on request, and declares it`, async () => {
      await using app = await createTestApp();
      const response = await app.client().get("/sign-in", { headers: { "accept-language": header } });
      const page = response.text;
      assert.match(page, new RegExp(`<html lang="${language}">`));
      assert.match(page, new RegExp(`<h1>${title}</h1>`));
      assert.equal(response.headers.get("content-language"), language);
      assert.equal(response.headers.get("vary"), "accept-language");
    });
  }
});
