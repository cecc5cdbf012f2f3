import assert from "node:assert/strict";
import { test } from "node:test";
import { readMailFrom, readSmtpServer } from "../../src/config/mail.ts";
import { ConfigError, readConfig } from "../../src/config/config.ts";
import type { SmtpServer } from "../../src/mail/smtp.ts";

const login = { user: "user", password: "pass" };

const SERVERS: readonly [text: string, server: SmtpServer][] = [
  ["smtp://user:pass@mail.example.com", {
    host: "mail.example.com",
    port: 587,
    security: "starttls",
    login,
  }],
  ["smtp://user:pass@mail.example.com:2525/", {
    host: "mail.example.com",
    port: 2525,
    security: "starttls",
    login,
  }],
  ["smtps://user:pass@mail.example.com", { host: "mail.example.com", port: 465, security: "tls", login }],
  ["smtp://u%40example.com:p%3A%2F%25@192.0.2.1:25", {
    host: "192.0.2.1",
    port: 25,
    security: "starttls",
    login: { user: "u@example.com", password: "p:/%" },
  }],
  ["smtp://localhost:1025", { host: "localhost", port: 1025, security: "none", login: undefined }],
  ["smtp://127.0.0.2:1025", { host: "127.0.0.2", port: 1025, security: "none", login: undefined }],
  ["smtp://[::1]:1025", { host: "::1", port: 1025, security: "none", login: undefined }],
  ["smtps://localhost", { host: "localhost", port: 465, security: "tls", login: undefined }],
  ["smtp://127.0.0.1.example.com", {
    host: "127.0.0.1.example.com",
    port: 587,
    security: "starttls",
    login: undefined,
  }],
  ["smtp://notlocalhost", { host: "notlocalhost", port: 587, security: "starttls", login: undefined }],
];

for (const [text, server] of SERVERS) {
  test(`readSmtpServer() reads ${text}`, () => {
    const faults: string[] = [];
    assert.deepEqual(readSmtpServer(text, faults), server);
    assert.deepEqual(faults, []);
  });
}

const REFUSED = [
  "mail.example.com:587",
  "mail.example.com",
  "http://mail.example.com",
  "smtp://",
  "smtp:mail.example.com",
  "smtp://mail.example.com:0",
  "smtp://mail.example.com:99999",
  "smtp://mail%0aexample.com",
  "smtp://mail_a b.example.com",
  "smtp://m\u00e4il.example.com",
  "smtp://mail.example.com/path",
  "smtp://mail.example.com?tls=off",
  "smtp://mail.example.com?requireTLS=false",
  "smtp://mail.example.com?",
  "smtp://mail.example.com#x",
  "smtp://user@mail.example.com",
  "smtp://:pass@mail.example.com",
  "smtp://user:p%ZZ@mail.example.com",
  "smtp://user:p%0D%0ADATA@mail.example.com",
];

for (const text of REFUSED) {
  test(`readSmtpServer() refuses ${JSON.stringify(text)}, and names the variable and not the value`, () => {
    const faults: string[] = [];
    assert.equal(readSmtpServer(text, faults), undefined);
    assert.equal(faults.length, 1);
    assert.match(faults[0]!, /^SMTP_URL must /);
  });
}

test("readSmtpServer() echoes no password", () => {
  const faults: string[] = [];
  readSmtpServer("smtp://user:s3cr3t@mail.example.com/x", faults);
  readSmtpServer("smtp://user:s3cr3t@mail exam", faults);
  assert.equal(faults.length, 2);
  assert.doesNotMatch(faults.join(), /s3cr3t/);
});

test("readMailFrom() accepts an address, with or without a name", () => {
  const read = (text: string): unknown => readMailFrom(text, []);
  assert.deepEqual(read("a@example.com"), { name: "", address: "a@example.com" });
  assert.deepEqual(read("<a@example.com>"), undefined);
  assert.deepEqual(read("Sch\u00f6ne, neue: Welt <a@example.com>"), {
    name: "Sch\u00f6ne, neue: Welt",
    address: "a@example.com",
  });
});

const SENDERS = [
  "a",
  "a@b c",
  "a@b\r\nBcc: c@d",
  "A\r\nBcc: c@d <a@example.com>",
  '"A" <a@example.com>',
  "A <a@b>, B <c@d>",
  "A <a@b, c@d>",
  "A <<a@b>>",
  "a@b, c@d",
  "A <a@b",
  `${"A".repeat(101)} <a@example.com>`,
];

for (const text of SENDERS) {
  test(`readMailFrom() refuses ${JSON.stringify(text)}`, () => {
    const faults: string[] = [];
    assert.equal(readMailFrom(text, faults), undefined);
    assert.match(faults[0]!, /^MAIL_FROM must /);
  });
}

test("readConfig() refuses one of SMTP_URL and MAIL_FROM without the other", () => {
  const faultsOf = (environment: Record<string, string>): readonly string[] => {
    try {
      readConfig(environment);
      return [];
    } catch (error) {
      return (error as ConfigError).faults;
    }
  };
  assert.match(faultsOf({ SMTP_URL: "smtp://localhost" }).join(), /^MAIL_FROM must be set/);
  assert.match(faultsOf({ MAIL_FROM: "a@example.com" }).join(), /^SMTP_URL must be set/);
  assert.deepEqual(faultsOf({ SMTP_URL: "smtp://localhost", MAIL_FROM: "a@example.com" }), []);
});

test("readConfig() keeps the login of SMTP_URL out of the public configuration", () => {
  const config = readConfig({ SMTP_URL: "smtp://user:s3cr3t@mail.example.com", MAIL_FROM: "a@example.com" });
  assert.doesNotMatch(JSON.stringify(config), /user|s3cr3t/);
});
