import { ADMIN_KEY } from "../support/app.ts";
import { findFreePort } from "../support/free-port.ts";
import { goTo } from "./scene.ts";
import type { PageState } from "./scene.ts";

/** Opens the page of an account's webhooks: one with a delivery that waits, one that has not had any. */
export const openWebhooks: PageState["open"] = async (stage) => {
  const { served, visit: { page } } = stage;
  const urls = [
    `http://localhost:${await findFreePort()}/in`,
    "http://localhost/hooks?token=00000000000000000000000000000000000000000000000000",
  ];
  const events = [["token_created"], ["signature_asked", "signing_request_ended", "message_signed"]];
  await page.evaluate(async ([urls, events]) => {
    const post = (path: string, body: object) =>
      fetch(path, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify(body),
      });
    for (const [index, url] of urls!.entries()) {
      await post("/api/auth/webhooks", { url, events: events![index], signature: "ed25519" });
    }
    await post("/api/auth/tokens", { name: "Payroll", keys: "all", actions: ["read"] });
  }, [urls, events] as const);
  await served.app.deliverWebhooks();
  await goTo("/developer/webhooks")(stage);
};

/** Opens the page of the administrator's webhooks, with one whose delivery waits. */
export const openServiceWebhooks: PageState["open"] = async (stage) => {
  const { served } = stage;
  const url = `http://localhost:${await findFreePort()}/in`;
  const settings = { url, events: ["webhook_added", "account_created"], signature: "hmac" };
  const headers = { authorization: `Bearer ${ADMIN_KEY}` };
  await served.app.client().post("/api/admin/webhooks", settings, { headers });
  await served.app.deliverWebhooks();
  await goTo("/admin/webhooks")(stage);
};
