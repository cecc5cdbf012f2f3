import * as v from "valibot";
import { type ProblemCode, PROBLEMS } from "../lib/error.ts";
import { Count, list } from "./value.ts";

export const Code = v.pipe(
  v.picklist(Object.keys(PROBLEMS) as ProblemCode[]),
  v.description("Codes may be added. Handle an unknown one by its status"),
);

export const Fault = v.union([
  v.strictObject({
    path: v.pipe(v.string(), v.description("A JSON pointer into the body (RFC 6901)")),
    message: v.string(),
  }),
  v.strictObject({
    parameter: v.pipe(v.string(), v.description("The name of a query or form parameter")),
    message: v.string(),
  }),
]);

/** A problem document (RFC 9457). */
export const Problem = v.strictObject({
  type: v.literal("about:blank"),
  title: v.string(),
  status: Count,
  detail: v.pipe(v.string(), v.description("For people")),
  code: Code,
  requestId: v.pipe(v.string(), v.description("The value of `X-Request-Id`, also in the service's log")),
  policy: v.exactOptional(
    v.pipe(
      v.nullable(v.string()),
      v.description(
        "For `policy_denied` and `limit_used_up`: the policy that refused, `key`, `token` or `application`",
      ),
    ),
  ),
  rule: v.exactOptional(v.pipe(v.nullable(v.string()), v.description("A JSON pointer into the policy"))),
  value: v.exactOptional(
    v.pipe(v.nullable(v.string()), v.description("A JSON pointer to the value that broke the rule")),
  ),
  reason: v.exactOptional(v.pipe(v.string(), v.description("For people"))),
  errors: v.exactOptional(v.pipe(list(Fault), v.description("The faults of the request"))),
});

/** An error of the authorization server (RFC 6749 section 5.2). */
export const OAuthProblem = v.strictObject({ error: v.string(), error_description: v.string() });
