import {
  type AccountLogFilter,
  type AccountLogPage,
  findHead,
  listAccountLog,
} from "../../audit/account-log.ts";
import { countSignatures, type SignatureSeries } from "../../audit/signature-counts.ts";
import type { AuditHead } from "../../audit/stored-entry.ts";
import type { Of } from "../../api/value.ts";
import { findNames, toActivity, toEventJson } from "../../http/activity-view.ts";
import { toAccountView } from "../../http/frame-view.ts";
import { pageSession, session } from "../../http/guard/account-guards.ts";
import { decodeCursor, encodeCursor, nextPageLink } from "../../http/request/paging.ts";
import { htmlPage, json } from "../../http/response/respond.ts";
import { defineEndpoint } from "../../http/route.ts";
import type { Services } from "../../http/services.ts";
import { findKey } from "../../keys/key.ts";
import { yieldToEventLoop } from "../../lib/cooperative.ts";
import { foreignCursor } from "../../lib/error.ts";
import { type Instant, toIso } from "../../lib/time.ts";
import { type EventList, EVENTS_OF, FileQuery, ListQuery, PageQuery } from "./schema.ts";
import { auditPage, type AuditPageData } from "./page.ts";
import type { NamedSeries, SignaturesView } from "./signatures-section.ts";

const PAGE_LENGTH = 50;

/** Days in the plot of signatures. */
const DAYS = 30;

/** The keys and the programs with a plot of their own, at most. */
const MOST_SERIES = 5;

/** The maximum number of entries in a file. */
const FILE_LENGTH = 10_000;

/** Entries read by one query for a file: they take some milliseconds to verify. */
const FILE_STEP = 200;

/** Returns the sequence number before which a page ends. Throws `invalid_request` for a cursor of another list. */
function readBefore(cursor: string | undefined): number | undefined {
  if (cursor === undefined) return undefined;
  const position = decodeCursor(cursor);
  if (/^[1-9]\d{0,14}$/.test(position)) return Number(position);
  throw foreignCursor();
}

function toHeadJson(head: AuditHead | undefined): AuditPageData["head"] {
  return head === undefined ? null : { seq: head.seq, hash: head.hash.toHex() };
}

function toNextCursor({ nextBefore }: AccountLogPage): string | null {
  return nextBefore === undefined ? null : encodeCursor(String(nextBefore));
}

/** Returns the filter of a query. A key of another account matches no event of this account. */
function filterOf({ kind, key }: Of<typeof FileQuery>): AccountLogFilter | undefined {
  if (kind === "all" && key === undefined) return undefined;
  return {
    ...(kind === "all" ? {} : { events: EVENTS_OF[kind] }),
    ...(key === undefined ? {} : { subject: key }),
  };
}

export const listEvents = defineEndpoint(
  session,
  { query: ListQuery },
  async (context, { account }, { query: { limit, cursor } }, { db, vault }) => {
    const accountLog = await listAccountLog(db, vault, {
      accountId: account.id,
      before: readBefore(cursor),
      limit,
    });
    const nextCursor = toNextCursor(accountLog);
    return json<typeof EventList>(200, {
      events: accountLog.entries.map(toEventJson),
      unproven: accountLog.unverified,
      head: toHeadJson(await findHead(db, vault)),
      nextCursor,
    }, nextPageLink(context.url, nextCursor));
  },
);

/** Counts the signatures of the last days, and names the keys and programs with the most. */
async function toSignaturesView(
  services: Pick<Services, "db" | "authority">,
  which: { readonly accountId: string; readonly keyId: string | undefined; readonly now: Instant },
): Promise<SignaturesView> {
  const { days, keys, programs } = await countSignatures(services.db, { ...which, days: DAYS });
  const [listedKeys, listedPrograms] = [keys.slice(0, MOST_SERIES), programs.slice(0, MOST_SERIES)];
  const ids = [...listedKeys, ...listedPrograms].flatMap(({ id }) => id ?? []);
  const names = await findNames(services, which.accountId, new Set(ids));
  const named = ({ id, counts, sum }: SignatureSeries): NamedSeries => ({
    name: id === null ? undefined : names.get(id) ?? id,
    counts,
    sum,
  });
  return { days, keys: listedKeys.map(named), programs: listedPrograms.map(named) };
}

export const showActivity = defineEndpoint(
  pageSession,
  { pageQuery: PageQuery },
  async (context, { account }, { query: { cursor, ...query } }, services) => {
    const { db, vault, authority } = services;
    const before = readBefore(cursor);
    const only = filterOf(query);
    const accountId = account.id;
    const part = { accountId, before, limit: PAGE_LENGTH, ...(only && { only }) };
    const accountLog = await listAccountLog(db, vault, part);
    const { kind, key: keyId } = query;
    const label = keyId && (await findKey(db, authority, { accountId, keyId }))?.label;
    const isFirstPage = before === undefined;
    const next = new URLSearchParams({
      ...(kind !== "all" && { kind }),
      ...(keyId !== undefined && { key: keyId }),
      cursor: toNextCursor(accountLog) ?? "",
    });
    return htmlPage(
      200,
      auditPage({
        account: toAccountView(account, services, context),
        activity: await toActivity(services, accountId, accountLog.entries),
        kind,
        key: keyId === undefined ? undefined : { id: keyId, label: label ?? keyId },
        signatures: isFirstPage
          ? await toSignaturesView(services, { accountId, keyId, now: context.now })
          : undefined,
        now: toIso(context.now),
        unverified: accountLog.unverified,
        head: toHeadJson(await findHead(db, vault)),
        isFirstPage,
        ...(accountLog.nextBefore === undefined ? {} : { nextPath: `/account/audit?${next}` }),
      }),
    );
  },
);

export const downloadActivity = defineEndpoint(
  pageSession,
  { pageQuery: FileQuery },
  async (context, { account }, { query }, services) => {
    const only = filterOf(query);
    const rows: string[][] = [["entry", "time", "event", "subject", "name", "detail"]];
    let before: number | undefined;
    for (;;) {
      const part = { accountId: account.id, before, limit: FILE_STEP, ...(only && { only }) };
      const accountLog = await listAccountLog(services.db, services.vault, part);
      const { events, names } = await toActivity(services, account.id, accountLog.entries);
      for (const { seq, at, event, subject, detail } of events) {
        const name = names.get(subject ?? "") ?? "";
        rows.push([`${seq}`, at, event, subject ?? "", name, JSON.stringify(detail)]);
      }
      before = accountLog.nextBefore;
      if (before === undefined || rows.length > FILE_LENGTH) break;
      await context.enterCpuQueue();
      await yieldToEventLoop();
    }
    const headers = {
      "content-type": "text/csv; charset=utf-8; header=present",
      "content-disposition": 'attachment; filename="activity.csv"',
    };
    return new Response(toCsv(rows), { headers });
  },
);

/** The first characters that make a spreadsheet read a field as a formula. */
const FORMULA = /^[=+\-@\t\r]/;

/** Quotes a field (RFC 4180 section 2). Puts an apostrophe before a formula, so that spreadsheets read it as text. */
function field(text: string): string {
  return `"${(FORMULA.test(text) ? `'${text}` : text).replaceAll('"', '""')}"`;
}

/** Formats rows as CSV (RFC 4180) with CRLF line ends. No field is a formula for a spreadsheet. */
export function toCsv(rows: readonly (readonly string[])[]): string {
  return rows.map((row) => `${row.map(field).join(",")}\r\n`).join("");
}
