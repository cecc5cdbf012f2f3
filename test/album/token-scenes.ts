import { goTo, type PageState } from "./scene.ts";

/** Opens the page of the tokens, of which one has used up a part of its signatures. */
export const openUsedTokens: PageState["open"] = async (stage) => {
  await stage.visit.page.evaluate(async () => {
    const send = async (path: string, body: object, more: Record<string, string> = {}) => {
      const headers = { "content-type": "application/json", ...more };
      const answer = await fetch(path, { method: "POST", headers, body: JSON.stringify(body) });
      return await answer.json();
    };
    const { keys } = await (await fetch("/api/keys")).json();
    const policy = {
      version: 1,
      messages: { text: "allow" },
      perDay: 4,
      total: 100,
      budgets: { pay: { perDay: "100" } },
    };
    const terms = { name: "Payroll", keys: "all", actions: ["sign"], policy };
    const { text } = await send("/api/auth/tokens", terms);
    const authorization = `Bearer ${text}`;
    for (let count = 0; count < 4; count++) {
      await send(`/api/keys/${keys[0].id}/sign`, { message: `hello ${count}` }, { authorization });
    }
  });
  await goTo("/developer")(stage);
};
