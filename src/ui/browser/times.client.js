// @ts-check
import { messagesOf } from "./messages.client.js";

/**
 * Formats the times of a part of the page in the local time zone. The server's text in UTC becomes the tooltip.
 * @param {ParentNode} root
 */
export function showLocalTimes(root) {
  const { locale } = messagesOf("times");
  const clock = new Intl.DateTimeFormat(locale, { dateStyle: "medium", timeStyle: "short" });
  for (const element of root.querySelectorAll("time[datetime]:not([title])")) {
    if (!(element instanceof HTMLTimeElement)) continue;
    element.title = element.textContent;
    element.textContent = clock.format(new Date(element.dateTime));
  }
}
