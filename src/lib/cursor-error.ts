import { ProtocolError } from "./error.ts";

/** The refusal of a cursor that the list it is given to cannot have made. */
export function foreignCursor(): ProtocolError {
  return new ProtocolError("invalid_request", "Cannot read cursor: not one of this list", {
    errors: [{ parameter: "cursor", message: "Expected a cursor of this list" }],
  });
}
