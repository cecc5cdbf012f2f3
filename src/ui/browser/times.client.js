// @ts-check

const CLOCK = new Intl.DateTimeFormat("en-GB", { dateStyle: "medium", timeStyle: "short" });

/**
 * Has the times of a part of the page said in the reader's own zone; the one that the server wrote, in UTC, is there for
 * whoever points at it.
 * @param {ParentNode} root
 */
export function showLocalTimes(root) {
  for (const element of root.querySelectorAll("time[datetime]:not([title])")) {
    if (!(element instanceof HTMLTimeElement)) continue;
    element.title = element.textContent;
    element.textContent = CLOCK.format(new Date(element.dateTime));
  }
}
