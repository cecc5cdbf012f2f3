import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { ORIGIN } from "../../support/app.ts";
import type { TestApp } from "../../support/app.ts";
import { generateRequests } from "../../support/generated-requests.ts";
import type { DescribedOperation, GeneratedRequest } from "../../support/generated-requests.ts";
import { createIdentityStage } from "../../support/identity.ts";
import { prepareAccounts } from "../../support/prepared-accounts.ts";
import { runsOf, seedOf } from "../../support/share.ts";

const DOCUMENT = JSON.parse(
  readFileSync(new URL("../../../generated/openapi.json", import.meta.url), "utf8"),
);
const REQUESTS_FOR_EACH = runsOf(300);

interface Placed {
  readonly method: string;
  readonly path: string;
  readonly operation: DescribedOperation;
}

const OPERATIONS: readonly Placed[] = Object.entries(
  DOCUMENT.paths as Record<string, Record<string, DescribedOperation>>,
).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({ method: method.toUpperCase(), path, operation }))
);

/** Returns the media types of a described response; undefined if its status is not described. */
function describedTypes({ responses }: DescribedOperation, status: number): readonly string[] | undefined {
  const response = responses[status];
  if (response === undefined) return undefined;
  const { content = {} } = response.$ref === undefined
    ? response
    : DOCUMENT.components.responses[response.$ref.split("/").at(-1)!];
  return Object.keys(content);
}

/** Returns the fault of a response; undefined if it is as described. */
function faultOf(operation: DescribedOperation, { status, headers }: Response): string | undefined {
  if (status === 500) return "a fault of the service";
  const types = describedTypes(operation, status);
  if (types === undefined) return "its status is not described";
  const type = headers.get("content-type")?.split(";")[0];
  // A request without a token gets no content (RFC 6750 section 3.1).
  const isNone = type === undefined && (types.length === 0 || status === 401);
  const isDescribed = isNone || types.includes("*/*") || type !== undefined && types.includes(type);
  return isDescribed ? undefined : `${type} is not described`;
}

interface Outcome {
  readonly fault: string | undefined;
  readonly isSuccess: boolean;
}

/** Sends a request. The app compares the response with its schema too. */
async function send(
  app: TestApp,
  operation: DescribedOperation,
  { method, path, headers, body, ahead }: GeneratedRequest,
): Promise<Outcome> {
  const request = new Request(ORIGIN + path, { method, headers, ...(body === undefined ? {} : { body }) });
  app.ahead = ahead;
  try {
    const response = await app.app(request, { clientAddress: "127.0.0.1" });
    const fault = faultOf(operation, response);
    return { fault: fault && `${response.status}: ${fault}`, isSuccess: response.status < 300 };
  } catch (error) {
    return { fault: (error as Error).message, isSuccess: false };
  } finally {
    app.ahead = 0;
  }
}

/** Nine thousand requests, one after the other: the usual limit is too short on a busy machine. */
const LIMIT = { timeout: 300_000 };

test(
  "generated requests get no response with a status or media type that the description lacks",
  LIMIT,
  async () => {
    await using stage = await createIdentityStage();
    const { renew } = await prepareAccounts(stage);
    const succeeded = new Set<string>();
    let known = await renew();
    for (const [index, placed] of OPERATIONS.entries()) {
      const settings = { count: REQUESTS_FOR_EACH, seed: seedOf(6000 + index) };
      for (const request of generateRequests(placed, DOCUMENT.components.schemas, known, settings)) {
        const { operationId } = placed.operation;
        const { fault, isSuccess } = await send(stage.app, placed.operation, request);
        assert.equal(fault, undefined, `${operationId}: ${fault}\n${JSON.stringify(request)}`);
        if (isSuccess) succeeded.add(operationId);
      }
      if (placed.method !== "GET") known = await renew();
    }
    // The requests are not only refused.
    assert.ok(succeeded.size > 90, `${succeeded.size} operations succeeded`);
  },
);
