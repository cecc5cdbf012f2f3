import * as v from "valibot";
import { Problem } from "./problem.ts";
import { list } from "./value.ts";

const Id = v.nullable(v.union([v.string(), v.number()]));

/** The answer to one call (JSON-RPC 2.0 section 5): exactly one of `result` and `error`. */
export const RpcAnswer = v.strictObject({
  jsonrpc: v.literal("2.0"),
  id: Id,
  result: v.exactOptional(v.unknown()),
  error: v.exactOptional(v.strictObject({
    code: v.pipe(v.number(), v.integer()),
    message: v.string(),
    data: v.exactOptional(v.omit(Problem, ["type", "title", "status", "detail"])),
  })),
});

/** The answers to a batch, in its order; those of notifications are left out. */
export const RpcAnswers = v.union([RpcAnswer, list(RpcAnswer)]);
