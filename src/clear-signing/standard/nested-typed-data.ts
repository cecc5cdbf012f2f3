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
