import * as v from "valibot";
import type { SignedIn } from "../../accounts/session/session.ts";
import { findHead, listTrail } from "../../audit/account-log.ts";
import type { Trail, TrailFilter } from "../../audit/account-log.ts";
import { countSignatureDays } from "../../audit/signature-days.ts";
import type { AuditHead } from "../../audit/stored-entry.ts";
import { toActivity, toEventJson } from "../../http/activity-view.ts";
import { toAccountView } from "../../http/frame-view.ts";
import { decodeCursor, encodeCursor, nextPageLink, pageParameters } from "../../http/request/paging.ts";
import { readPageQuery, readQuery } from "../../http/request/query.ts";
import { htmlPage, json } from "../../http/response/respond.ts";
import type { LegacyEndpoint } from "../../http/route.ts";
import type { Services } from "../../http/services.ts";
import { findLabel } from "../../keys/key.ts";
import { foreignCursor } from "../../lib/error.ts";
import { toIso } from "../../lib/time.ts";
import { ACTIVITY_KINDS, auditPage } from "./page.ts";
import type { AuditPageData } from "./page.ts";
import { EVENTS_OF } from "./schema.ts";
import type { EventList } from "./schema.ts";

/** The endpoints that show people what was recorded of them. */
export interface AuditEndpoints {
  readonly list: LegacyEndpoint<SignedIn>;
  readonly page: LegacyEndpoint<SignedIn>;
  /** The same as the page, as a file of CSV. */
  readonly file: LegacyEndpoint<SignedIn>;
}

export const ListQuery = v.strictObject(pageParameters);

const filters = {
  kind: v.optional(v.picklist(ACTIVITY_KINDS), "all"),
  key: v.optional(v.pipe(v.string(), v.regex(/^key_[0-9a-v]{26}$/, "Expected the id of a key"))),
};

export const PageQuery = v.strictObject({ cursor: pageParameters.cursor, ...filters });

export const FileQuery = v.strictObject(filters);

/** Entries on one page for people. */
const PAGE_LENGTH = 50;

/** Days of which the page has a picture. */
const DAYS = 30;

/** Entries of which a file holds as many as there are, and of each question to the log. */
const FILE_LENGTH = 10_000;

const FILE_STEP = 1000;

/** The entry before which a page ends. Throws `invalid_request` for a cursor of another list. */
function readBefore(cursor: string | undefined): number | undefined {
  if (cursor === undefined) return undefined;
  const position = decodeCursor(cursor);
  if (/^[1-9]\d{0,14}$/.test(position)) return Number(position);
  throw foreignCursor();
}

function toHeadJson(head: AuditHead | undefined): AuditPageData["head"] {
  return head === undefined ? null : { seq: head.seq, hash: head.hash.toHex() };
}

function toNextCursor({ nextBefore }: Trail): string | null {
  return nextBefore === undefined ? null : encodeCursor(String(nextBefore));
}

/** Makes the endpoints of the audit trail over the given services. */
export function createAuditEndpoints(
  services: Pick<Services, "db" | "vault" | "authority" | "tee">,
): AuditEndpoints {
  const { db, vault, authority } = services;

  const list: LegacyEndpoint<SignedIn> = async (context, { account }) => {
    const { limit, cursor } = readQuery(context, ListQuery);
    const trail = await listTrail(db, vault, { accountId: account.id, before: readBefore(cursor), limit });
    const nextCursor = toNextCursor(trail);
    return json<typeof EventList>(200, {
      events: trail.entries.map(toEventJson),
      unproven: trail.unproven,
      head: toHeadJson(await findHead(db, vault)),
      nextCursor,
    }, nextPageLink(context.url, nextCursor));
  };

  /** What the query asks for: a key that is not theirs has no events of theirs. */
  function filterOf({ kind, key }: v.InferOutput<typeof FileQuery>): TrailFilter | undefined {
    if (kind === "all" && key === undefined) return undefined;
    return {
      ...(kind === "all" ? {} : { events: EVENTS_OF[kind] }),
      ...(key === undefined ? {} : { subject: key }),
    };
  }

  const page: LegacyEndpoint<SignedIn> = async (context, { account }) => {
    const { cursor, ...query } = readPageQuery(context, PageQuery);
    const before = readBefore(cursor);
    const only = filterOf(query);
    const accountId = account.id;
    const part = { accountId, before, limit: PAGE_LENGTH, ...(only && { only }) };
    const trail = await listTrail(db, vault, part);
    const { kind, key: keyId } = query;
    const label = keyId && await findLabel(db, authority, { accountId, keyId });
    const isFirstPage = before === undefined;
    const next = new URLSearchParams({
      ...(kind !== "all" && { kind }),
      ...(keyId !== undefined && { key: keyId }),
      cursor: toNextCursor(trail) ?? "",
    });
    return htmlPage(
      200,
      auditPage({
        account: toAccountView(account, services, context),
        activity: await toActivity(services, accountId, trail.entries),
        kind,
        key: keyId === undefined ? undefined : { id: keyId, label: label ?? keyId },
        days: isFirstPage
          ? await countSignatureDays(db, { accountId, days: DAYS, now: context.now })
          : undefined,
        now: toIso(context.now),
        unproven: trail.unproven,
        head: toHeadJson(await findHead(db, vault)),
        isFirstPage,
        ...(trail.nextBefore === undefined ? {} : { nextPath: `/account/audit?${next}` }),
      }),
    );
  };

  const file: LegacyEndpoint<SignedIn> = async (context, { account }) => {
    const only = filterOf(readPageQuery(context, FileQuery));
    const rows: string[][] = [["entry", "time", "event", "subject", "name", "detail"]];
    let before: number | undefined;
    do {
      const part = { accountId: account.id, before, limit: FILE_STEP, ...(only && { only }) };
      const trail = await listTrail(db, vault, part);
      const { events, names } = await toActivity(services, account.id, trail.entries);
      for (const { seq, at, event, subject, detail } of events) {
        rows.push([
          `${seq}`,
          at,
          event,
          subject ?? "",
          names.get(subject ?? "") ?? "",
          JSON.stringify(detail),
        ]);
      }
      before = trail.nextBefore;
    } while (before !== undefined && rows.length <= FILE_LENGTH);
    const headers = {
      "content-type": "text/csv; charset=utf-8; header=present",
      "content-disposition": 'attachment; filename="activity.csv"',
    };
    return new Response(toCsv(rows), { headers });
  };

  return { list, page, file };
}

/** What spreadsheets take for a formula at the beginning of a field. */
const FORMULA = /^[=+\-@\t\r]/;

/** A field in quotes (RFC 4180 section 2). One that a spreadsheet would run is text to it by an apostrophe. */
function field(text: string): string {
  return `"${(FORMULA.test(text) ? `'${text}` : text).replaceAll('"', '""')}"`;
}

/** Rows of fields as CSV (RFC 4180), lines ended by CRLF. Nothing in it is run by a spreadsheet. */
export function toCsv(rows: readonly (readonly string[])[]): string {
  return rows.map((row) => `${row.map(field).join(",")}\r\n`).join("");
}
