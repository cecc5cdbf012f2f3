import assert from "node:assert/strict";
import { test } from "node:test";
import {
  accountDeletedMail,
  accountExportedMail,
  administratorMail,
  deletionRequestedMail,
  deletionStoppedMail,
  emailChangedMail,
  emailRevertedMail,
  newDeviceMail,
  passkeyAddedMail,
  passkeyRemovedMail,
} from "../../src/mail/account-mail.ts";
import { codeMail, invitationMail } from "../../src/mail/code-mail.ts";
import { LANGUAGES } from "../../src/lib/language.ts";
import type { Language } from "../../src/lib/language.ts";
import { createMail } from "../../src/mail/mailer.ts";
import type { Mail } from "../../src/mail/mailer.ts";
import { policyMail, signatureRequestedMail, tokenAddedMail } from "../../src/mail/key-mail.ts";
import { recoveryCodeMail, recoveryMail } from "../../src/mail/recovery-mail.ts";
import type { RecoveryMailAct } from "../../src/mail/recovery-mail.ts";

const BASE_URL = "https://wallet.example.com";
const FACTS = {
  to: "alice@example.com",
  baseUrl: BASE_URL,
  name: "My phone",
  device: "Firefox on Linux",
  network: "192.0.2.0",
  at: Date.UTC(2026, 0, 2),
};

/** Creates a mail, with this text in place of each text that another person chose. */
type Maker = (text?: string) => Mail;

const RECOVERY_ACTS = [
  "begun",
  "waits",
  "ready",
  "cancelled",
  "lapsed",
  "finished",
  "codesMade",
  "choicesChanged",
] as const satisfies readonly RecoveryMailAct[];
const POLICY_ACTS = ["tightened", "loosened", "asked", "cancelled", "took_effect"] as const;

/** Returns a factory of each mail in a language. */
function makersIn(language: Language): Readonly<Record<string, Maker>> {
  const facts = { ...FACTS, language };
  const policyMails = POLICY_ACTS.map((act): [string, Maker] => [
    `policyMail of ${act}`,
    (text = "My phone") =>
      policyMail(act, {
        ...facts,
        keyId: "key_1",
        label: text,
        rules: [text],
        changeAt: act === "asked" ? Date.UTC(2026, 0, 3) : undefined,
        requestedFrom: act === "took_effect" ? undefined : { device: text, network: text },
      }),
  ]);
  const recoveryMails = RECOVERY_ACTS.map((act): [string, Maker] => [
    `recoveryMail of ${act}`,
    (text = "My phone") => {
      const choices = { delayHours: 96, emailAlone: true };
      return recoveryMail(act, {
        ...facts,
        device: text,
        network: text,
        cancelPath: "/recover/cancel",
        choices,
      });
    },
  ]);
  const until = Date.UTC(2026, 0, 9);
  return {
    ...Object.fromEntries(recoveryMails),
    recoveryCodeMail: () => recoveryCodeMail({ ...facts, code: "ABCD-EFGH", service: "Holdfast" }),
    ...Object.fromEntries((["first", "further", "undo"] as const).map((kind) => [
      `emailChangedMail (${kind})`,
      (text = "My phone") =>
        emailChangedMail({ ...facts, device: text, network: text, kind, token: "change_1.x", until }),
    ])),
    emailRevertedMail: (text = "My phone") =>
      emailRevertedMail({ ...facts, device: text, network: text, isOwn: true }),
    accountExportedMail: (text = "My phone") =>
      accountExportedMail({ ...facts, device: text, network: text }),
    deletionRequestedMail: (text = "My phone") =>
      deletionRequestedMail({ ...facts, device: text, network: text, dueAt: until, keys: 2 }),
    deletionStoppedMail: () => deletionStoppedMail(facts),
    accountDeletedMail: () => accountDeletedMail(facts),
    invitationMail: () =>
      invitationMail({
        ...facts,
        service: "Holdfast",
        link: `${BASE_URL}/sign-up?invitation=x`,
        expiresAt: until,
      }),
    codeMail: () => codeMail({ ...facts, code: "042042", service: "Holdfast" }),
    passkeyAddedMail: (text = "My phone") =>
      passkeyAddedMail({ ...facts, name: text, device: text, network: text }),
    passkeyRemovedMail: (text = "My phone") =>
      passkeyRemovedMail({ ...facts, name: text, device: text, network: text }),
    administratorMail: (text = "My phone") =>
      administratorMail({ ...facts, act: "passkey_removed", name: text }),
    newDeviceMail: (text = "My phone") => newDeviceMail({ ...facts, device: text, network: text }),
    signatureRequestedMail: (text = "Payroll") =>
      signatureRequestedMail({ ...facts, requestId: "signing_1", requesterName: text, keyLabel: text }),
    tokenAddedMail: (text = "Payroll") =>
      tokenAddedMail({
        ...facts,
        name: text,
        keys: ["key_1"],
        actions: ["read", "sign"],
        expiresAt: facts.at,
      }),
    ...Object.fromEntries(policyMails),
  };
}

const MAKERS = makersIn("en");
const EVERY = LANGUAGES.flatMap((language) =>
  Object.entries(makersIn(language)).map(([name, make]) =>
    [`${name} in ${language}`, make, language] as const
  )
);

const HOSTILE = {
  "a header field": "a\r\nBcc: eve@example.com",
  "a link on a line of its own": "a\n\nhttps://evil.example/login",
  "a script": "<script>alert(1)</script>",
  "the end of an attribute": '"><img src=https://evil.example/x>',
  "an address and control characters": "a, b <c@d>; \u0000\u0085\u2028\u2029",
  "a symbol and a change of direction": "\u{1F511} Schl\u00fcssel \u202e",
};

for (const [name, make, language] of EVERY) {
  test(`${name}() links only to the service and loads nothing`, () => {
    const { text, html } = make();
    assert.ok(html.includes(`<html lang="${language}">`));
    for (const [address] of `${text}${html}`.matchAll(/[a-z]+:\/\/[^\s"<]+/g)) {
      assert.ok(address.startsWith(`${BASE_URL}/`), address);
    }
    assert.doesNotMatch(html, /\bsrc=|\bstyle=|<(?:img|link|script|style|iframe|form|meta http)/i);
  });

  for (const [what, text] of Object.entries(HOSTILE)) {
    test(`${name}() keeps its lines, header and page with ${what}`, () => {
      const [plain, hostile] = [make("a"), make(text)];
      assert.equal(hostile.subject, plain.subject);
      assert.equal(hostile.to, plain.to);
      assert.deepEqual(createMail(hostile), hostile);
      assert.equal(hostile.text.split(/[\n\r\u0085\u2028\u2029]/).length, plain.text.split("\n").length);
      assert.doesNotMatch(hostile.text, /\0/);
      const tags = (html: string): readonly string[] => html.match(/<[^>]*>/g)!;
      assert.deepEqual(tags(hostile.html), tags(plain.html));
    });
  }
}

test("codeMail() has the code in the body, not in the subject, and binds its last line to the host", () => {
  const { subject, text, html } = MAKERS["codeMail"]!();
  assert.doesNotMatch(subject, /\d/);
  assert.match(html, /<strong>042042<\/strong>/);
  assert.ok(text.endsWith("\n@wallet.example.com #042042\n"));
  assert.match(text, /If you did not ask for this code, ignore this mail/);
});

test("codeMail() has no link that a mail scanner would follow", () => {
  const { text, html } = MAKERS["codeMail"]!();
  assert.doesNotMatch(text + html, /:\/\/|href/);
});

test("policyMail() states when the pending change takes effect, and links to its cancellation", () => {
  const { text } = MAKERS["policyMail of asked"]!();
  assert.match(text, /from 3 Jan 2026, 00:00 UTC on/);
  assert.match(text, /cancel it there before then/);
  assert.ok(text.includes(`${BASE_URL}/keys/key_1#policy`));
});
