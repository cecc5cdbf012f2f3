import { ProtocolError } from "../../lib/error.ts";
import type { RequestContext } from "../request-context.ts";

/** Reads the `Idempotency-Key`. Throws `invalid_request` if it is malformed. */
export function readIdempotencyKey({ request }: Pick<RequestContext, "request">): string | undefined {
  const key = request.headers.get("idempotency-key");
  if (key === null || /^[ -~]{1,255}$/.test(key)) return key ?? undefined;
  throw new ProtocolError(
    "invalid_request",
    "Cannot read Idempotency-Key: it must be 1 to 255 printable ASCII characters",
  );
}
