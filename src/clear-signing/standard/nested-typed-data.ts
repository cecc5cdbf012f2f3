import { fromHex, utf8 } from "../../lib/bytes.ts";
import type { PlainStruct } from "../abi.ts";
import type { PlainDomain, TypedDocument } from "../typed-document.ts";

/** Typed data that a key signs for an account (ERC-7739). */
export interface NestedTypedData {
  readonly account: string;
  readonly contents: TypedDocument;
}

const TYPE =
  /^TypedDataSign\(([\w$:]+) contents,string name,string version,uint256 chainId,address verifyingContract,bytes32 salt\)(.*)$/;

/** Reads `TypedDataSign`, whose domain is the one of the contents. The other members are the account's domain. */
export function readNestedTypedData(document: TypedDocument): NestedTypedData | undefined {
  const [, primaryType, rest] = TYPE.exec(document.encodeType) ?? [];
  const { contents, verifyingContract, chainId } = document.message as PlainStruct & Required<PlainDomain>;
  if (rest === undefined || document.absent.size > 0 || chainId !== document.domain.chainId) return undefined;
  const structs = rest.match(/[^()]+\([^()]*\)/g) ?? [];
  const own = structs.find((struct) => struct.startsWith(`${primaryType}(`));
  if (own === undefined || structs.join("") !== rest) return undefined;
  return {
    account: verifyingContract,
    contents: {
      ...document,
      primaryType: primaryType!,
      encodeType: own + structs.filter((struct) => struct !== own).join(""),
      message: contents as PlainStruct,
    },
  };
}

const PREFIX = "\x19Ethereum Signed Message:\n";

/** A message that a key signs for an account (ERC-7739). */
export interface NestedMessage {
  readonly account: string;
  readonly payload: Uint8Array;
}

/** Reads `PersonalSign`, whose domain is the one of the account. Its bytes are a message with the prefix of EIP-191. */
export function readNestedMessage({ encodeType, domain, message }: TypedDocument): NestedMessage | undefined {
  const account = domain.verifyingContract;
  if (encodeType !== "PersonalSign(bytes prefixed)" || account === undefined) return undefined;
  const bytes = fromHex(message.prefixed as string)!;
  // Nothing ends the length, and the message may begin with a digit: the length of the whole decides.
  for (let digits = 1; digits <= 7; digits++) {
    const start = PREFIX.length + digits;
    const length = bytes.length - start;
    const head = utf8(PREFIX + length);
    if (head.length === start && head.every((byte, index) => bytes[index] === byte)) {
      return { account, payload: bytes.subarray(start) };
    }
  }
  return undefined;
}
