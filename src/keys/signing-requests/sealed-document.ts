import { checkSignRequest } from "../digest.ts";
import type { CheckedSignRequest, SignRequest } from "../digest.ts";
import { DatabaseError } from "../../db/error.ts";
import { constantTimeEqual, utf8 } from "../../lib/bytes.ts";
import { ProtocolError } from "../../lib/error.ts";
import type { Authentic } from "../../store/authentic.ts";
import type { Vault } from "../../vault/vault.ts";

/** The most bytes that a person is asked about: nobody reads more. */
export const DOCUMENT_LIMIT = 64 * 1024;

/** What a sealed document is tied to: moved into another request, it does not open. */
interface Facts {
  readonly id: string;
  readonly digest: Uint8Array;
}

function additionalData({ id, digest }: Facts): readonly Uint8Array[] {
  return [utf8(id), digest];
}

/** Seals what is to be signed, whole: who edits the database does not read it either. Throws `body_too_large`. */
export function sealDocument(vault: Vault, facts: Facts, request: SignRequest): Uint8Array {
  const document = utf8(JSON.stringify(request));
  if (document.length > DOCUMENT_LIMIT) {
    throw new ProtocolError(
      "body_too_large",
      `Cannot ask the owner: what is to be signed is larger than ${DOCUMENT_LIMIT} bytes`,
    );
  }
  return vault.seal("signing-request", additionalData(facts), document);
}

/**
 * What a request is to sign, read and hashed anew. Throws `DatabaseError` where it is not what was asked for, as by a
 * version of the service that read it otherwise: it must be asked for again then.
 */
export function openDocument(vault: Vault, row: Authentic<"signing_request">): CheckedSignRequest {
  const { id, digest, document } = row;
  if (document === null) throw new TypeError("Cannot open document: the request is over");
  const plaintext = vault.open("signing-request", additionalData(row), document);
  const request = checkSignRequest(JSON.parse(new TextDecoder().decode(plaintext)) as SignRequest);
  if (!constantTimeEqual(request.digest, digest)) {
    throw new DatabaseError("wrong_row", `Cannot use signing request ${id}: its document has another digest`);
  }
  return request;
}
