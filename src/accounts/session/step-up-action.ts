/** The actions of a step-up. For those with an id, the kind of resource that the id names. */
const STEP_UP_ACTIONS = {
  add_passkey: undefined,
  add_token: undefined,
  add_webhook: undefined,
  change_email: undefined,
  administer: undefined,
  change_policy: "key",
  change_recovery: undefined,
  delete_account: undefined,
  delete_passkey: "passkey",
  export_account: undefined,
  link_identity: undefined,
  loosen_key: "key",
  unlink_identity: "identity",
} as const;

export type StepUpAction =
  | "add_passkey"
  | "add_token"
  | "add_webhook"
  | "change_email"
  | "administer"
  | `change_policy:${string}`
  | "change_recovery"
  | "delete_account"
  | `delete_passkey:${string}`
  | "export_account"
  | "link_identity"
  | `loosen_key:${string}`
  | `unlink_identity:${string}`;

const ID = /^[a-z]+_[0-9a-v]{26}$/;

/** Returns undefined if the action is invalid. Does not check that the resource exists or who owns it. */
export function readStepUpAction(text: string): StepUpAction | undefined {
  const [name, id, ...more] = text.split(":");
  if (more.length > 0 || !Object.hasOwn(STEP_UP_ACTIONS, name!)) return undefined;
  const kind = STEP_UP_ACTIONS[name as keyof typeof STEP_UP_ACTIONS];
  const isWhole = kind === undefined ? id === undefined : id?.startsWith(`${kind}_`) === true && ID.test(id);
  return isWhole ? text as StepUpAction : undefined;
}
