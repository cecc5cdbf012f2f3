import type { Of } from "../../api/value.ts";
import { type Html, html } from "../../lib/html.ts";
import { messagesIn } from "../../lib/language.ts";
import type { FrameView } from "../../ui/layout.ts";
import { de as kitDe } from "../../ui/messages.de.ts";
import { en as kitEn } from "../../ui/messages.en.ts";
import { shown, time } from "../../ui/parts.ts";
import { actButton, adminField, adminLayout, confirmedAct, faultsIn } from "../../ui/section/admin-frame.ts";
import { de } from "./messages.de.ts";
import { en } from "./messages.en.ts";
import type { AdminGroup } from "./schema.ts";

type GroupView = Of<typeof AdminGroup>;

export function adminGroupsPage(
  { frame, groups, name, fault }: {
    readonly frame: FrameView;
    readonly groups: readonly GroupView[];
    /** The sent name, and its fault. */
    readonly name: string;
    readonly fault: string | undefined;
  },
): Html {
  const { admin } = messagesIn(frame.language, { en: kitEn, de: kitDe });
  const messages = messagesIn(frame.language, { en, de }).groups;
  const faults = faultsIn(frame.language, fault === undefined ? {} : { name: fault });
  return adminLayout({
    frame,
    place: "groups",
    title: admin.groups,
    content: html`
      <h1>${admin.groups}</h1>
      <p class="hint">${messages.note}</p>
      <form class="card stack" method="post" action="/admin/groups">
        ${adminField({ name: "name", label: messages.name, value: name, fault: faults["name"] })}
        <p class="actions"><button class="button primary" type="submit">${messages.create}</button></p>
      </form>
      ${groups.length === 0 ? html`<p class="empty">${messages.none}</p>` : html`
        <ul class="rows">${groups.map((group) =>
          html`
            <li class="row">
              <div class="row-main">
                <h2 class="row-title"><a href="/admin/groups/${group.id}">${shown(group.name)}</a></h2>
                <p class="facts-line"><span class="mono">${group.id}</span><span>${messages.since} ${time(
                  group.createdAt,
                  frame.language,
                )}</span></p>
              </div>
            </li>
          `
        )}</ul>
      `}
    `,
  });
}

export function adminGroupPage(
  { frame, group, members, account, fault }: {
    readonly frame: FrameView;
    readonly group: GroupView;
    /** The members, by address or name. */
    readonly members: readonly { readonly id: string; readonly name: string }[];
    /** The sent account, and its fault. */
    readonly account: string;
    readonly fault: string | undefined;
  },
): Html {
  const messages = messagesIn(frame.language, { en, de }).groups;
  const path = `/admin/groups/${group.id}`;
  const faults = faultsIn(frame.language, fault === undefined ? {} : { account: fault });
  return adminLayout({
    frame,
    place: "groups",
    title: group.name,
    content: html`
      <h1>${shown(group.name)}</h1>
      <p class="facts-line"><span class="mono">${group.id}</span></p>
      <form class="card stack" method="post" action="${path}/members">
        ${adminField({
          name: "account",
          label: messages.account,
          value: account,
          fault: faults["account"],
          hint: messages.accountHint,
        })}
        <p class="actions"><button class="button primary" type="submit">${messages.add}</button></p>
      </form>
      ${members.length === 0 ? html`<p class="empty">${messages.noMembers}</p>` : html`
        <ul class="rows">${members.map((member) =>
          html`
            <li class="row">
              <div class="row-main">
                <h2 class="row-title">${shown(member.name)}</h2>
                <p class="facts-line"><span class="mono">${member.id}</span></p>
              </div>
              <div class="row-actions">${actButton(
                `${path}/members/${member.id}/remove`,
                messages.remove,
              )}</div>
            </li>
          `
        )}</ul>
      `}
      ${confirmedAct(`${path}/delete`, messages.deleteGroup, messages.deleteMeans)}
    `,
  });
}
