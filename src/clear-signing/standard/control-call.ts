import { abiFunction, type CallKind, contractCallText } from "../call.ts";
import { localizable } from "../format-message.ts";
import { type PartyRole, readMembers } from "../roles.ts";
import { partyAt } from "../parties.ts";

/** Functions that give control over a contract or an account, and the role of the address that gets it. */
const ROWS: readonly (readonly [text: string, role: PartyRole])[] = [
  // Ownable, AccessControl and proxies.
  ["transferOwnership(address to)", "new_owner"],
  ["grantRole(bytes32 role,address to)", "new_owner"],
  ["changeAdmin(address to)", "new_owner"],
  ["upgradeTo(address to)", "implementation"],
  ["upgradeToAndCall(address to,bytes data)", "implementation"],
  // Accounts: Coinbase's, and those of ERC-7579.
  ["addOwnerAddress(address to)", "new_owner"],
  ["installModule(uint256 kind,address to,bytes data)", "module"],
];

/** The functions that change who controls a contract, other than a Safe's own. */
export const CONTROL_CALLS: readonly CallKind[] = ROWS.map(([text, role]) => {
  const called = abiFunction(text);
  return {
    called,
    read(call, given, context) {
      const { chainId, caller } = call;
      const to = given.to as string;
      return {
        kind: "control",
        recognisedBy: called.signature,
        text: localizable("giveControl", {
          ...contractCallText(call, context),
          to: partyAt(context, chainId, to),
          contract: partyAt(context, chainId, call.to),
        }),
        ...readMembers(context, chainId, [["contract", call.to], [role, to]], caller),
        effects: [{ effect: "control", account: call.to }],
        // The contract may do more with the other arguments.
        effectsComplete: false,
      };
    },
  };
});
