import * as v from "valibot";
import { Count, list, NextCursor, Time } from "../../api/value.ts";
import { pageParameters } from "../../http/request/paging.ts";
import { ACTIVITY_KINDS } from "./event-kinds.ts";

export const EventList = v.strictObject({
  events: list(v.strictObject({
    seq: Count,
    at: Time,
    event: v.string(),
    subject: v.nullable(v.string()),
    detail: v.record(v.string(), v.unknown()),
  })),
  unproven: v.pipe(
    v.number(),
    v.integer(),
    v.description("Entries left out, which the service did not write as they are"),
  ),
  head: v.pipe(
    v.nullable(v.strictObject({ seq: Count, hash: v.string() })),
    v.description("The end of the log, to keep elsewhere"),
  ),
  nextCursor: NextCursor,
});

export const ListQuery = v.strictObject(pageParameters);

const filters = {
  kind: v.optional(v.picklist(ACTIVITY_KINDS), "all"),
  key: v.optional(v.pipe(v.string(), v.regex(/^key_[0-9a-v]{26}$/, "Expected the id of a key"))),
};

export const PageQuery = v.strictObject({ cursor: pageParameters.cursor, ...filters });

export const FileQuery = v.strictObject(filters);
