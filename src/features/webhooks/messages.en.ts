import type { FailureReason } from "../../webhooks/delivery.ts";

export const en = {
  webhooks: {
    title: "Webhooks",
    lead: "Servers that are sent events of your account. Add one with POST /api/auth/webhooks.",
    adminLead: "Servers that are sent events of all accounts. Add one with POST /api/admin/webhooks.",
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
};
