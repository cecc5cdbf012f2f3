import * as v from "valibot";
import type { SignedIn } from "../../accounts/session/session.ts";
import { findHead, listTrail } from "../../audit/trail.ts";
import type { Trail } from "../../audit/trail.ts";
import type { AuditHead } from "../../audit/stored-entry.ts";
import { foreignCursor } from "../../lib/cursor-error.ts";
import { toIso } from "../../lib/time.ts";
import { auditPage } from "../../ui/page/audit-page.ts";
import type { AuditEventView, AuditPageData } from "../../ui/page/audit-page.ts";
import { toAccountView } from "../answer/account-view.ts";
import { decodeCursor, encodeCursor, nextPageLink, pageParameters } from "../request/paging.ts";
import { readPageQuery, readQuery } from "../request/query.ts";
import type { EventList } from "../answer/schema/account.ts";
import { htmlPage, json } from "../answer/respond.ts";
import type { Endpoint } from "../route.ts";
import type { Services } from "../services.ts";

/** The endpoints that show people what was recorded of them. */
export interface AuditEndpoints {
  readonly list: Endpoint<SignedIn>;
  readonly page: Endpoint<SignedIn>;
}

export const ListQuery = v.strictObject(pageParameters);
export const PageQuery = v.strictObject({ cursor: pageParameters.cursor });

/** Entries on one page for people. */
const PAGE_LENGTH = 50;

/** The entry before which a page ends. Throws `invalid_request` for a cursor of another list. */
function readBefore(cursor: string | undefined): number | undefined {
  if (cursor === undefined) return undefined;
  const position = decodeCursor(cursor);
  if (/^[1-9]\d{0,14}$/.test(position)) return Number(position);
  throw foreignCursor();
}

/** Shapes an event for its owner. */
export function toEventJson({ seq, at, event, subject, detail }: Trail["entries"][number]): AuditEventView {
  return { seq, at: toIso(at), event, subject, detail };
}

function toHeadJson(head: AuditHead | undefined): AuditPageData["head"] {
  return head === undefined ? null : { seq: head.seq, hash: head.hash.toHex() };
}

function toNextCursor({ nextBefore }: Trail): string | null {
  return nextBefore === undefined ? null : encodeCursor(String(nextBefore));
}

/** Makes the endpoints of the audit trail over the given services. */
export function createAuditEndpoints({ db, vault }: Pick<Services, "db" | "vault">): AuditEndpoints {
  const list: Endpoint<SignedIn> = async (context, { account }) => {
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

  const page: Endpoint<SignedIn> = async (context, { account }) => {
    const before = readBefore(readPageQuery(context, PageQuery).cursor);
    const trail = await listTrail(db, vault, { accountId: account.id, before, limit: PAGE_LENGTH });
    const nextCursor = toNextCursor(trail);
    return htmlPage(
      200,
      auditPage({
        account: toAccountView(account),
        events: trail.entries.map(toEventJson),
        unproven: trail.unproven,
        head: toHeadJson(await findHead(db, vault)),
        isFirstPage: before === undefined,
        ...(nextCursor === null ? {} : { nextPath: `/account/audit?cursor=${nextCursor}` }),
      }),
    );
  };

  return { list, page };
}
