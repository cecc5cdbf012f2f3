import { type AbiFunction, readAbiFunction } from "../clear-signing/abi.ts";

const SIGNED = "uint256 validAfter,uint256 validBefore,bytes32 nonce";
const VRS = "uint8 v,bytes32 r,bytes32 s";

/** The functions of the token standards (ERC-20, 721, 1155, 1363, 2612, 3009 and Permit2), and OpenZeppelin's. */
const FUNCTIONS = [
  "transfer(address to,uint256 value)",
  "transferFrom(address from,address to,uint256 value)",
  "transferAndCall(address to,uint256 value)",
  "transferAndCall(address to,uint256 value,bytes data)",
  "transferFromAndCall(address from,address to,uint256 value)",
  "transferFromAndCall(address from,address to,uint256 value,bytes data)",
  "transferFrom(address from,address to,uint160 value,address token)",
  `transferWithAuthorization(address from,address to,uint256 value,${SIGNED},${VRS})`,
  `transferWithAuthorization(address from,address to,uint256 value,${SIGNED},bytes signature)`,
  `receiveWithAuthorization(address from,address to,uint256 value,${SIGNED},${VRS})`,
  "approve(address spender,uint256 value)",
  "approve(address token,address spender,uint160 value,uint48 expiration)",
  "approveAndCall(address spender,uint256 value)",
  "approveAndCall(address spender,uint256 value,bytes data)",
  "increaseAllowance(address spender,uint256 value)",
  "increaseApproval(address spender,uint256 value)",
  "decreaseAllowance(address spender,uint256 value)",
  "decreaseApproval(address spender,uint256 value)",
  `permit(address owner,address spender,uint256 value,uint256 deadline,${VRS})`,
  `permit(address owner,address spender,uint256 nonce,uint256 deadline,bool allowed,${VRS})`,
  "safeTransferFrom(address from,address to,uint256 id)",
  "safeTransferFrom(address from,address to,uint256 id,bytes data)",
  "safeTransferFrom(address from,address to,uint256 id,uint256 value,bytes data)",
  "safeBatchTransferFrom(address from,address to,uint256[] ids,uint256[] values,bytes data)",
  "setApprovalForAll(address operator,bool approved)",
] as const;

let bySelector: ReadonlyMap<string, AbiFunction> | undefined;

function standards(): ReadonlyMap<string, AbiFunction> {
  return bySelector ??= new Map(FUNCTIONS.map((text) => {
    const read = readAbiFunction(text)!;
    return [read.selector, read];
  }));
}

/** Other names of a parameter in the standards and in tokens that many use, without underscores. */
const SYNONYMS: Readonly<Record<string, readonly string[]>> = {
  from: ["src", "sender"],
  to: ["dst", "recipient", "receiver"],
  owner: ["holder"],
  spender: ["guy", "usr"],
  value: ["amount", "wad", "rawamount", "addedvalue", "subtractedvalue", "tokenid"],
  values: ["amounts"],
  id: ["tokenid"],
  expiration: ["deadline"],
};

function isNameOf(standard: string, name: string): boolean {
  const plain = name.replaceAll("_", "").toLowerCase();
  return plain === standard.toLowerCase() || SYNONYMS[standard]?.includes(plain) === true;
}

/**
 * Returns the function as its standard has it if its parameters have other names there, or if it is another function
 * with the same selector; undefined if it is of no standard. A rule that names the sender of a token its recipient
 * would limit the wrong one.
 */
export function findStandardNames({ selector, signature, parameters }: AbiFunction): string | undefined {
  const standard = standards().get(selector);
  if (standard === undefined) return undefined;
  const isSame = standard.signature === signature &&
    standard.parameters.every(({ name }, index) => isNameOf(name, parameters[index]!.name));
  if (isSame) return undefined;
  const named = standard.parameters.map(({ name, type }) => `${type.text} ${name}`).join(",");
  return `${standard.signature.split("(")[0]}(${named})`;
}
