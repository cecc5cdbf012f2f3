// @ts-check
import { enablePolicyBuilder } from "../../ui/browser/policy-builder.client.js";

/** Shows the rules of the policy that the owner writes for an application, if the page has its field. */
export function enableOwnPolicy() {
  const text = document.getElementById("own-policy");
  const radio = document.getElementById("own-template");
  if (!(text instanceof HTMLTextAreaElement) || !(radio instanceof HTMLInputElement)) return;
  enablePolicyBuilder(text, {
    keyId: () => document.querySelector("input[name^='key:']:checked")?.getAttribute("name")?.slice(4),
  });
  const part = text.closest("details");
  text.addEventListener("change", () => radio.checked = true);
  radio.addEventListener("change", () => part?.setAttribute("open", ""));
}
