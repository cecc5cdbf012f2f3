import { createPushBrowser } from "../support/push-service.ts";
import { goTo, type PageState } from "./scene.ts";

/** Opens the page of the browsers that are notified, of which this is one. */
export const openNotifications: PageState["open"] = async (stage) => {
  const { keys } = await createPushBrowser();
  await stage.visit.page.evaluate(async (keys) => {
    const headers = { "content-type": "application/json" };
    const body = JSON.stringify({ endpoint: "https://127.0.0.1/push/one", keys });
    await fetch("/api/auth/push-subscriptions", { method: "POST", headers, body });
  }, keys);
  await goTo("/account/notifications")(stage);
};
