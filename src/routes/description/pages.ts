import {
  Decision as ConsentDecision,
  PageQuery as RequestQuery,
} from "../../features/authorization/consent.ts";
import { Decision as EndSessionDecision } from "../../features/authorization/end-session.ts";
import type { MembersSchema, Operation, Operations } from "../../http/description.ts";

function page(id: string, summary: string, query?: MembersSchema): Operation {
  return {
    id,
    tag: "Pages",
    summary,
    ...(query === undefined ? {} : { query }),
    answers: { 200: "page", 303: null },
  };
}

function form(id: string, summary: string, body: MembersSchema): Operation {
  return { id, tag: "Pages", summary, body, bodyIs: "form", answers: { 200: "page", 303: null } };
}

/** What people see. */
const PAGES: Operations = {
  "GET /consent": page("consentPage", "Asks whether to let an application in", RequestQuery),
  "POST /consent": {
    ...form("consentForm", "The answer to that", ConsentDecision),
    codes: ["recently_recovered"],
  },
  "GET /end-session": page("endSessionPage", "Asks whether to sign out", RequestQuery),
  "POST /end-session": form("endSessionForm", "The answer to that", EndSessionDecision),
};

/** What tells of the service itself. */
const ABOUT: Operations = {
  "GET /assets/:hash/:name": {
    id: "getAsset",
    tag: "Pages",
    summary: "A style sheet or script of the pages",
    answers: { 200: "file" },
  },
};

/** What is no API: pages, and what machines look at. */
export const PAGE_OPERATIONS: Operations = { ...PAGES, ...ABOUT };
