import { runInAccountQueue } from "../account-queue.ts";
import { type CheckedSignRequest, checkTask, type SignRequest } from "../digest.ts";
import type { GroupCommit } from "../../db/group-commit.ts";
import { DatabaseError } from "../../db/error.ts";
import { constantTimeEqual, utf8 } from "../../lib/bytes.ts";
import { ProtocolError } from "../../lib/error.ts";
import type { Policy } from "../../policy/policy.ts";
import type { Authentic } from "../../store/authentic.ts";
import type { Vault } from "../../vault/vault.ts";

/** Maximum size of a document for approval: a person cannot review more. */
export const DOCUMENT_LIMIT = 64 * 1024;

/** The facts to which the document is bound. It cannot be opened in another request. */
interface Facts {
  readonly id: string;
  readonly digest: Uint8Array;
}

function additionalData({ id, digest }: Facts): readonly Uint8Array[] {
  return [utf8(id), digest];
}

/** A request, and the policy of the access token that asked if it is narrower than its grant. */
interface Document<R> {
  readonly request: R;
  readonly policy: Policy | undefined;
}

/** Seals a sign request, so that an attacker with the database cannot read it. Throws `body_too_large`. */
export function sealDocument(
  vault: Vault,
  facts: Facts,
  { request, policy }: Document<SignRequest>,
): Uint8Array {
  const document = utf8(JSON.stringify(request));
  if (document.length > DOCUMENT_LIMIT) {
    throw new ProtocolError(
      "body_too_large",
      `Cannot ask the owner: the data to sign is larger than ${DOCUMENT_LIMIT} bytes`,
    );
  }
  const whole = policy === undefined ? document : utf8(JSON.stringify({ request, policy }));
  return vault.seal("signing-request", additionalData(facts), whole);
}

/**
 * Opens, parses and hashes a document. Throws `DatabaseError` if its digest differs, for example because another
 * version of the service parsed it otherwise. The requester must then request it again.
 */
export async function openDocument(
  { vault, groupCommit }: { readonly vault: Vault; readonly groupCommit: GroupCommit },
  row: Authentic<"signing_request">,
): Promise<Document<CheckedSignRequest>> {
  const { id, digest, document } = row;
  if (document === null) throw new TypeError("Cannot open document: the request is closed");
  const plaintext = vault.open("signing-request", additionalData(row), document);
  const given = JSON.parse(new TextDecoder().decode(plaintext)) as SignRequest | Document<SignRequest>;
  const { request: sent, policy } = "kind" in given ? { request: given, policy: undefined } : given;
  const request = await runInAccountQueue(groupCommit, row.account_id, checkTask(sent));
  if (!constantTimeEqual(request.digest, digest)) {
    throw new DatabaseError("wrong_row", `Cannot use signing request ${id}: its document has another digest`);
  }
  return { request, policy };
}
