// @ts-check
import { newElement } from "../../ui/browser/dom.client.js";
import { messagesOf } from "../../ui/browser/messages.client.js";

const { today, yesterday, locale } = messagesOf("activity");
const DAY = new Intl.DateTimeFormat(locale, { dateStyle: "medium" });
const days = document.getElementById("activity-days");

/**
 * Formats a day in the reader's time zone: "today", "yesterday" or a date.
 * @param {Date} at
 * @returns {string}
 */
function dayName(at) {
  const now = new Date();
  const dayBefore = new Date(now);
  dayBefore.setDate(now.getDate() - 1);
  const name = DAY.format(at);
  if (name === DAY.format(now)) return today;
  return name === DAY.format(dayBefore) ? yesterday : name;
}

/** Groups the events by days in the reader's time zone. The server groups them in UTC. */
function regroup() {
  if (days === null) return;
  const items = [...days.querySelectorAll(".audit-event")];
  /** @type {HTMLElement[]} */
  const sections = [];
  let latest = "";
  for (const item of items) {
    const name = dayName(new Date(item.querySelector("time")?.dateTime ?? NaN));
    if (name !== latest) {
      const list = newElement("ol", "audit-list");
      sections.push(newElement("section", "activity-day", newElement("h2", "", name), list));
      latest = name;
    }
    sections.at(-1)?.lastElementChild?.append(item);
  }
  days.replaceChildren(...sections);
}

regroup();
