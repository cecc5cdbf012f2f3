import type { messageWords as English } from "../en/messages.ts";
import { nominative } from "./party.ts";

function hint(mayBeHash: boolean): string {
  return mayBeHash
    ? " 32 Bytes können der Hash einer User Operation oder der Transaktion eines Safe sein."
    : "";
}

export const messageWords: typeof English = {
  textMessage: ({ text, mayBeHash }) => `Sie signieren den Text ${text}.${hint(mayBeHash)}`,
  bytesMessage: ({ count, mayBeHash }) =>
    count === 0
      ? "Sie signieren eine leere Nachricht. Sie sagt nichts."
      : `Sie signieren ${count} Bytes als Nachricht. Niemand kann sagen, wofür sie stehen.${hint(mayBeHash)}`,
  rawBytes: ({ count }) => `Sie signieren den Hash von ${count} Bytes. Niemand kann sagen, wofür sie stehen.`,
  bareDigest: "Sie signieren 32 Bytes, wie sie sind. Niemand kann sagen, wofür sie stehen.",
  signIn: ({ domain, account, until }) =>
    `Sie melden sich bei ${domain} als ${
      account === undefined ? "dieser Schlüssel" : nominative(account)
    } an${until === undefined ? "" : `, gültig bis ${until}`}.`,
  abilitiesAt: ({ abilities, resource }) => `${abilities} bei ${resource}`,

  rlpList: "Es ist eine RLP-Liste, wie eine Transaktion der alten Form",
  typedEnvelope:
    "Es ist ein Byte bis 0x7f und eine RLP-Liste, wie eine typisierte Transaktion oder eine Ermächtigung (EIP-2718, EIP-7702)",
  typedPrefix:
    "Am Anfang steht 0x01 bis 0x05, wie bei einer typisierten Transaktion oder einer Ermächtigung (EIP-2718, EIP-3074, EIP-7702)",
  validatorData: "Am Anfang steht 0x1900, wie bei Daten für einen Prüfer (EIP-191)",
  typedDataPrefix: "Am Anfang steht 0x1901, wie bei typisierten Daten (EIP-712)",
  personalMessagePrefix: "Am Anfang steht 0x19, wie bei einer Nachricht (EIP-191)",
  userOperationHash: "Angeordnet ist es wie das, woraus der Hash einer User Operation entsteht (ERC-4337)",
  conflux: "Es ist „cfx“, ein Byte und eine RLP-Liste, wie eine Transaktion von Conflux (CIP-1559)",
  cosmosSignDoc: "Am Anfang ist es wie das Protobuf einer Transaktion von Cosmos (SignDoc)",
  cosmosJson: "Am Anfang ist es wie das JSON einer Transaktion von Cosmos (StdSignDoc)",
};
