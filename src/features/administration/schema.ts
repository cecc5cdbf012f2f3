import * as v from "valibot";
import { LONGEST_SEARCH } from "../../accounts/manage-account.ts";
import { MOST_USES } from "../../accounts/manage-invitation.ts";
import { Account } from "../../api/account.ts";
import { Count, list, NextCursor, Time } from "../../api/value.ts";
import { formIdField } from "../../http/form-idempotency.ts";
import { pageParameters } from "../../http/request/paging.ts";
import { parseInstant } from "../../lib/time.ts";

export const AdminAccount = v.strictObject({
  ...Account.entries,
  disabledAt: v.pipe(v.nullable(Time), v.description("The time it was disabled; null if it is enabled")),
});
export const AdminAccountAnswer = v.strictObject({ account: AdminAccount });
export const AdminAccountList = v.strictObject({ accounts: list(AdminAccount), nextCursor: NextCursor });

/** An invitation without its link. */
export const AdminInvitation = v.strictObject({
  id: v.string(),
  email: v.pipe(
    v.nullable(v.string()),
    v.description("The invited address; null if any person with the link can use it"),
  ),
  uses: Count,
  used: Count,
  createdAt: Time,
  expiresAt: Time,
});
export const InvitationMade = v.strictObject({
  invitation: AdminInvitation,
  link: v.pipe(v.string(), v.description("Open it in a browser. Shown only in this response")),
});
export const InvitationList = v.strictObject({ invitations: list(AdminInvitation), nextCursor: NextCursor });

export const AdminGroup = v.strictObject({ id: v.string(), name: v.string(), createdAt: Time });
export const GroupAnswer = v.strictObject({ group: AdminGroup });
export const GroupList = v.strictObject({ groups: list(AdminGroup) });
/** A passkey as an administrator sees it. */
export const AdminPasskey = v.strictObject({
  id: v.string(),
  name: v.string(),
  createdAt: Time,
  lastUsedAt: v.nullable(Time),
});
export const AdminPasskeyList = v.strictObject({ passkeys: list(AdminPasskey) });

/** An application that has access to an account. */
export const AdminAccess = v.strictObject({
  clientId: v.string(),
  name: v.string(),
  scope: v.string(),
  consentedAt: Time,
});
export const AdminAccessList = v.strictObject({ applications: list(AdminAccess) });

export const GroupBody = v.strictObject({ name: v.string() });
export const GroupForm = v.strictObject({ name: v.string() });
export const MemberForm = v.strictObject({ account: v.string() });

export const AccountsQuery = v.strictObject({
  ...pageParameters,
  search: v.optional(v.pipe(
    v.string(),
    v.minLength(1),
    v.maxLength(LONGEST_SEARCH),
    v.description("An account's id, or the beginning of its address"),
  )),
});

const instant = v.pipe(
  v.string(),
  v.check((text) => parseInstant(text) !== undefined, "Expected a time in UTC, such as 2027-01-31T00:00:00Z"),
  v.transform((text) => parseInstant(text)!),
);

export const InvitationBody = v.strictObject({
  email: v.exactOptional(v.string()),
  uses: v.exactOptional(v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(MOST_USES))),
  expiresAt: v.exactOptional(instant),
});

export const InvitationsQuery = v.strictObject(pageParameters);

export const EntranceQuery = v.strictObject({ next: v.optional(v.string()) });
export const KeyForm = v.strictObject({ key: v.string(), next: v.string() });
export const PasskeyForm = v.strictObject({ next: v.string() });

export const SearchQuery = v.strictObject({ search: v.optional(v.string()), cursor: v.optional(v.string()) });
export const CursorQuery = v.strictObject({ cursor: v.optional(v.string()) });

export const InviteForm = v.strictObject({
  email: v.string(),
  uses: v.string(),
  days: v.string(),
  ...formIdField,
});

const slot = v.strictObject({
  source: v.pipe(v.string(), v.description("`dstack`, `file`, `broker`, `recovery` or `simulated`")),
  keyId: v.pipe(v.string(), v.description("The id of the key, which reveals nothing about it")),
});

export const TeeDescription = v.strictObject({
  provider: v.string(),
  inTee: v.pipe(v.boolean(), v.description("True only for real hardware")),
  keyProvider: v.strictObject({ name: v.string(), id: v.string() }),
  slots: v.pipe(
    list(slot),
    v.description("Every slot of the root seed: the holder of any of these keys can open it"),
  ),
});
