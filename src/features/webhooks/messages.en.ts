import type { FailureReason } from "../../webhooks/delivery.ts";

export const en = {
  webhooks: {
    title: "Webhooks",
    lead: "Servers that are sent events of your account, signed (Standard Webhooks).",
    adminLead: "Servers that are sent events of all accounts, signed (Standard Webhooks).",
    add: "Add a webhook",
    url: "Address of your server",
    which: "Events",
    signature: "Signature",
    signatures: { hmac: "HMAC, with a shared secret", ed25519: "Ed25519, with a public key" },
    names: "Names of events of the audit log, separated by blanks.",
    faults: {
      url: "This address is not allowed here, or its host does not resolve.",
      events: "Name events of the audit log, each once.",
    },
    addedNow: "The webhook was added.",
    theSecret: "the secret",
    shownOnce: "Deliveries are verified with this secret. It is shown only now.",
    none: "There is no webhook.",
    noDeliveries: "Nothing was sent yet.",
    deliveries: "Latest deliveries",
    events: "Events:",
    since: "Added",
    remove: "Delete",
    removal: "Its deliveries are deleted too, and nothing is sent to it any more.",
    sendAgain: "Send again",
    states: { waiting: "waiting", delivered: "delivered", failed: "failed" },
    attempts: (count: number) => count === 1 ? "1 attempt" : `${count} attempts`,
    next: "next",
    publicKey: "Public key:",
    status: (code: string) => `status ${code}`,
    results: {
      "too slow": "too slow",
      unreachable: "unreachable",
      "its host is not allowed": "its host is not allowed",
      "its account is disabled": "its account is disabled",
    } satisfies Record<FailureReason, string>,
  },
  scripts: {
    "webhooks": {
      added: "The webhook was added.",
      loadAgain: "Load the page again to see it.",
    },
  },
};

type Scripts = typeof en.scripts;

declare global {
  interface ScriptMessages extends Scripts {}
}
