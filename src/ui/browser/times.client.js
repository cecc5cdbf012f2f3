// @ts-check
import { wordsOf } from "./messages.client.js";

/**
 * Has the times of a part of the page said in the reader's own zone; the one that the server wrote, in UTC, is there for
 * whoever points at it.
 * @param {ParentNode} root
 */
export function showLocalTimes(root) {
  const { locale } = wordsOf("times");
  const clock = new Intl.DateTimeFormat(locale, { dateStyle: "medium", timeStyle: "short" });
  for (const element of root.querySelectorAll("time[datetime]:not([title])")) {
    if (!(element instanceof HTMLTimeElement)) continue;
    element.title = element.textContent;
    element.textContent = clock.format(new Date(element.dateTime));
  }
}
