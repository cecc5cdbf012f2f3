import { readAddress, toChecksumAddress } from "../../ethereum/address.ts";
import { encodeSignature } from "../../ethereum/signature.ts";
import { serializeSigned } from "../../ethereum/transaction/serialize.ts";
import { keysOf, type KeyUser, requireAction } from "../../http/guard/key-requester.ts";
import { listCooperatively } from "../../http/key-list.ts";
import type { RequestContext } from "../../http/request-context.ts";
import type { Services } from "../../http/services.ts";
import type { SignRequest } from "../../keys/digest.ts";
import { type EthereumKey, findKey } from "../../keys/key.ts";
import type { Work } from "../../keys/work.ts";
import { fromHex, toHex } from "../../lib/bytes.ts";
import { ProtocolError } from "../../lib/error.ts";
import { asObject } from "../../lib/object.ts";
import { RpcFault } from "./json-rpc.ts";
import { requireSigned, signFor } from "./signer.ts";

export interface RpcRequest {
  readonly context: RequestContext;
  readonly services: Services;
  readonly user: KeyUser;
  /** The chain that the URL names, in decimal digits. */
  readonly chainId: string | undefined;
  readonly params: readonly unknown[];
  readonly work: Work;
  /** Lists the addresses of the user's active keys, once for all calls of a batch. */
  readonly listAccounts: () => Promise<readonly string[]>;
}

type RpcMethod = (request: RpcRequest) => Promise<unknown>;

const ACCOUNTS_LIMIT = 1000;
const DEFAULT_CHAIN_ID = "1";

function invalid(message: string): ProtocolError {
  return new ProtocolError("invalid_request", message);
}

/**
 * Reads the bytes of a message. Bytes that are valid UTF-8 are signed as text, so that the key's rules about bytes
 * apply only to other bytes. The digest is the same.
 */
function readPersonalMessage(data: unknown): SignRequest {
  const bytes = typeof data === "string" ? fromHex(data) : undefined;
  if (bytes === undefined) throw invalid("The message is its bytes as 0x-hex");
  try {
    const message = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
    return { kind: "message", format: "personal_sign", message };
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    return { kind: "message", format: "personal_sign", encoding: "hex", message: toHex(bytes) };
  }
}

function isAddress(value: unknown): boolean {
  return typeof value === "string" && readAddress(value) !== undefined;
}

async function signAs(
  { context, services, user, work }: RpcRequest,
  account: unknown,
  read: () => SignRequest,
): Promise<string> {
  const address = typeof account === "string" ? readAddress(account) : undefined;
  if (address === undefined) throw invalid("The account is an address: 0x and 40 hex digits");
  const { checked, outcome } = await signFor(context, services, user, { choice: { address }, work, read });
  const { signature } = requireSigned(outcome);
  return checked.kind === "transaction"
    ? toHex(serializeSigned(checked.transaction, signature))
    : encodeSignature(signature);
}

function signPersonalMessage(request: RpcRequest): Promise<string> {
  const [message, address] = request.params;
  if (isAddress(message) && !isAddress(address)) {
    throw invalid("personal_sign takes the message first and the address second");
  }
  return signAs(request, address, () => readPersonalMessage(message));
}

function signTypedData(request: RpcRequest): Promise<string> {
  const [address, typedData] = request.params;
  return signAs(request, address, () => ({ kind: "typed_data", typedData }));
}

/** Lists the addresses of the active keys that the user may see: all that a token names, or else the first 1,000. */
export async function listAccounts(
  context: RequestContext,
  services: Services,
  user: KeyUser,
): Promise<readonly string[]> {
  requireAction(user, "read");
  const accountId = user.account.id;
  const named = keysOf(user.requester);
  const keys = named === "all"
    ? (await listCooperatively(context, services, {
      accountId,
      archived: "exclude",
      fromIndex: 0,
      limit: ACCOUNTS_LIMIT,
    })).keys
    : await listNamedKeys(services, accountId, named);
  return keys.map(({ address }) => toChecksumAddress(address));
}

async function listNamedKeys(
  { db, authority }: Services,
  accountId: string,
  keyIds: readonly string[],
): Promise<readonly EthereumKey[]> {
  const keys: EthereumKey[] = [];
  for (const keyId of keyIds) {
    const key = await findKey(db, authority, { accountId, keyId });
    if (key?.archivedAt === null) keys.push(key);
  }
  return keys.toSorted((one, other) => one.keyIndex - other.keyIndex);
}

function refuse(number: number, message: string): RpcMethod {
  return () => Promise.reject(new RpcFault(number, message));
}

export const refuseUnknown: RpcMethod = refuse(
  -32601,
  "There is no such method: this service signs with keys and does not query a chain",
);

/** The methods by their names. */
export const RPC_METHODS: ReadonlyMap<string, RpcMethod> = new Map<string, RpcMethod>([
  ["eth_accounts", ({ listAccounts }) => listAccounts()],
  ["eth_requestAccounts", ({ listAccounts }) => listAccounts()],
  [
    "eth_chainId",
    ({ chainId = DEFAULT_CHAIN_ID }) => Promise.resolve(`0x${BigInt(chainId).toString(16)}`),
  ],
  ["net_version", ({ chainId = DEFAULT_CHAIN_ID }) => Promise.resolve(chainId)],
  ["web3_clientVersion", () => Promise.resolve("Holdfast")],
  // EIP-5792: no capabilities on any chain.
  ["wallet_getCapabilities", () => Promise.resolve({})],
  [
    "eth_sign",
    refuse(-32004, "eth_sign is refused: it signs unreadable bytes, which may be a transaction"),
  ],
  ["personal_sign", signPersonalMessage],
  ["eth_signTypedData", signTypedData],
  ["eth_signTypedData_v4", signTypedData],
  ["eth_signTransaction", (request) => {
    const { from, ...given } = asObject(request.params[0]) ?? {};
    return signAs(request, from, () => readTransaction(given, request.chainId));
  }],
]);

/** The transaction types by the byte that wallets write. */
const TYPES: Readonly<Record<string, string>> = {
  "0x0": "legacy",
  "0x1": "eip2930",
  "0x2": "eip1559",
  "0x3": "eip4844",
  "0x4": "eip7702",
};

/** Members that only one type or a later one has. They identify a transaction without `type`, as in nodes. */
const KNOWN_BY: readonly (readonly [member: string, type: string])[] = [
  ["authorizationList", "eip7702"],
  ["blobVersionedHashes", "eip4844"],
  ["maxFeePerGas", "eip1559"],
  ["maxPriorityFeePerGas", "eip1559"],
  ["accessList", "eip2930"],
];

function typeOf(members: Readonly<Record<string, unknown>>): unknown {
  const { type } = members;
  if (typeof type === "string") return TYPES[type.replace(/^0x0+(?=.)/, "0x")] ?? type;
  if (type !== undefined) return type;
  const found = KNOWN_BY.find(([member]) => members[member] !== undefined && members[member] !== null);
  return found?.[1] ?? "legacy";
}

/**
 * Reads a transaction of `eth_signTransaction` (execution-apis, GenericTransaction) without its sender. Leaves out
 * members without a value; a missing `to` creates a contract, and `chainId` replaces a missing one.
 */
function readTransaction(
  given: Readonly<Record<string, unknown>>,
  chainId: string | undefined,
): SignRequest {
  const members = Object.fromEntries(
    Object.entries(given).filter(([, member]) => member !== null && member !== undefined),
  );
  const type = typeOf(members);
  // Wallets leave an access list in legacy transactions, where it has no meaning.
  if (type === "legacy") delete members["accessList"];
  return { kind: "transaction", transaction: { to: null, ...(chainId && { chainId }), ...members, type } };
}
