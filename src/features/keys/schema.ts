import * as v from "valibot";
import { Label } from "../../api/key.ts";
import { readAddress } from "../../ethereum/address.ts";
import { pageParameters } from "../../http/request/paging.ts";

export const GenerateBody = v.strictObject({ label: v.optional(Label) });

export const ChangeBody = v.strictObject({
  label: v.optional(Label),
  blindSigning: v.optional(v.picklist(["allow", "guard", "deny"])),
});

/** The query of a list of keys, as the API and the page take it. */
export const ListQuery = v.strictObject({
  archived: v.optional(v.picklist(["true", "false"]), "false"),
  ...pageParameters,
});

export const address = v.pipe(
  v.string(),
  v.check((text) => readAddress(text) !== undefined, "Expected an address: 0x and 40 hex digits"),
  v.transform((text) => readAddress(text)!),
);

/** The query of the API's list, which also finds the one key of an address. */
export const FindQuery = v.strictObject({ ...ListQuery.entries, address: v.optional(address) });
