// The first schema. A migration is read as one list of statements, so the file is longer than others.

import { sql } from "kysely";

const VAULT = [
  sql`create table sealed_seed (
    id integer primary key check (id = 1),
    version integer not null,
    seal_key_id text not null,
    sealed blob not null,
    created_at integer not null
  ) strict`,
  sql`create table token_key (
    id text primary key,
    algorithm text not null check (algorithm in ('ES256', 'RS256', 'EdDSA')),
    public_jwk text not null,
    sealed blob not null,
    created_at integer not null,
    signs_from integer not null,
    mac blob not null
  ) strict`,
];

const ACCOUNTS = [
  sql`create table account (
    id text primary key,
    email text unique,
    email_proved_by text,
    name text,
    created_at integer not null,
    mac blob not null,
    disabled_at integer,
    revision integer,
    language text not null default 'en'
  ) strict`,
  sql`create index account_created_at on account (created_at, id)`,
  sql`create table passkey (
    id text primary key,
    account_id text not null references account (id),
    credential_id blob not null unique,
    public_key blob not null,
    algorithm integer not null,
    aaguid text not null,
    backup_eligible integer not null check (backup_eligible in (0, 1)),
    backed_up integer not null check (backed_up in (0, 1)),
    sign_count integer not null,
    name text not null,
    transports text not null,
    created_at integer not null,
    last_used_at integer,
    mac blob not null
  ) strict`,
  sql`create index passkey_account_id on passkey (account_id)`,
  sql`create table removed_passkey (
    id text primary key,
    account_id text not null references account (id) on delete cascade,
    credential_id blob not null unique,
    public_key blob not null,
    algorithm integer not null,
    backup_eligible integer not null check (backup_eligible in (0, 1)),
    sign_count integer not null,
    created_at integer not null,
    mac blob not null
  ) strict`,
  sql`create index removed_passkey_account_id on removed_passkey (account_id)`,
  sql`create index removed_passkey_created_at on removed_passkey (created_at)`,
  sql`create table challenge (
    kind text not null check (kind in ('registration', 'authentication', 'step_up')),
    challenge text not null,
    bound_to text not null,
    created_at integer not null,
    expires_at integer not null,
    mac blob not null,
    primary key (kind, challenge)
  ) strict`,
  sql`create index challenge_expires_at on challenge (expires_at)`,
  // No references: each would be one more page that a sign-in reads, as each index is one more that it writes. The
  // service deletes the rows with their passkey and account (`delete-account-rows.ts`).
  sql`create table session (
    id text primary key,
    secret_hash text not null,
    account_id text not null,
    passkey_id text not null,
    device_id text not null,
    device text not null,
    network text not null,
    created_at integer not null,
    authenticated_at integer not null,
    step_up_action text,
    stepped_up_at integer,
    expires_at integer not null,
    last_seen_at integer not null,
    mac blob not null
  ) strict`,
  sql`create index session_account_id on session (account_id)`,
  sql`create index session_expires_at on session (expires_at)`,
  sql`create index session_last_seen_at on session (last_seen_at)`,
  // Looked up by account and secret, never by id. No references, as in `session`.
  sql`create table account_device (
    id text not null,
    account_id text not null,
    secret_hash text not null,
    created_at integer not null,
    last_seen_at integer not null,
    mac blob not null,
    primary key (account_id, secret_hash)
  ) strict`,
  sql`create index account_device_last_seen_at on account_device (last_seen_at)`,
  sql`create table email_code (
    id text primary key,
    email text not null,
    purpose text not null,
    browser_hash text not null,
    network text not null,
    code_mac blob not null,
    attempts integer not null,
    created_at integer not null,
    expires_at integer not null,
    mac blob not null,
    unique (email, purpose, browser_hash)
  ) strict`,
  sql`create index email_code_expires_at on email_code (expires_at)`,
  sql`create table sign_up_ticket (
    id text primary key,
    secret_hash text not null,
    account_id text not null,
    email text,
    name text,
    issuer text,
    subject text,
    created_at integer not null,
    expires_at integer not null,
    mac blob not null,
    invitation_id text,
    check ((issuer is null) = (subject is null)),
    check (email is not null or subject is not null)
  ) strict`,
  sql`create index sign_up_ticket_expires_at on sign_up_ticket (expires_at)`,
  sql`create table identity (
    id text primary key,
    issuer text not null,
    subject text not null,
    account_id text not null references account (id),
    created_at integer not null,
    mac blob not null,
    unique (issuer, subject)
  ) strict`,
  sql`create index identity_account_id on identity (account_id)`,
  sql`create table identity_request (
    provider text not null,
    state_hash text not null,
    browser_hash text not null,
    return_to text not null,
    created_at integer not null,
    expires_at integer not null,
    mac blob not null,
    session_id text,
    primary key (provider, state_hash)
  ) strict`,
  sql`create index identity_request_expires_at on identity_request (expires_at)`,
  sql`create table sign_in_ticket (
    id text primary key,
    secret_hash text not null,
    account_id text not null references account (id) on delete cascade,
    created_at integer not null,
    expires_at integer not null,
    mac blob not null
  ) strict`,
  sql`create index sign_in_ticket_account_id on sign_in_ticket (account_id)`,
  sql`create index sign_in_ticket_expires_at on sign_in_ticket (expires_at)`,
  sql`create table email_change (
    id text primary key,
    secret_hash text not null,
    account_id text not null references account (id),
    old_email text not null,
    old_email_proved_by text,
    new_email text not null,
    created_at integer not null,
    expires_at integer not null,
    mac blob not null
  ) strict`,
  sql`create index email_change_account_id on email_change (account_id, created_at, id)`,
  sql`create index email_change_old_email on email_change (old_email, expires_at, id)`,
  sql`create index email_change_expires_at on email_change (expires_at)`,
  sql`create table account_deletion (
    id text primary key,
    account_id text not null unique references account (id),
    created_at integer not null,
    due_at integer not null,
    mac blob not null
  ) strict`,
  sql`create index account_deletion_due_at on account_deletion (due_at, id)`,
  sql`create table account_recovery (
    account_id text primary key references account (id),
    revision integer not null,
    delay_hours integer not null,
    email_alone integer not null check (email_alone in (0, 1)),
    generation integer,
    unused_mask integer not null,
    codes_made_at integer,
    recovery_id text unique,
    method text check (method in ('code_and_email', 'email', 'code')),
    secret_hash text,
    code_hash text,
    device text,
    network text,
    begun_at integer,
    ready_at integer,
    ends_at integer,
    observed_at_start integer,
    cooldown_ends_at integer,
    observed_at_cooldown_end integer,
    observed_ms integer not null,
    next_check_at integer,
    mac blob not null
  ) strict`,
  sql`create index account_recovery_next_check_at on account_recovery (next_check_at, account_id)
    where next_check_at is not null`,
  sql`create table recovery_code (
    code_hash text primary key,
    account_id text not null references account (id),
    generation integer not null,
    number integer not null,
    created_at integer not null,
    mac blob not null
  ) strict`,
  sql`create index recovery_code_account_id on recovery_code (account_id, number)`,
  sql`create table invitation (
    id text primary key,
    secret_hash text not null,
    email text,
    uses integer not null,
    used integer not null check (used between 0 and uses),
    created_at integer not null,
    expires_at integer not null,
    mac blob not null
  ) strict`,
  sql`create index invitation_created_at on invitation (created_at, id)`,
  sql`create index invitation_expires_at on invitation (expires_at)`,
  sql`create table admin_session (
    id text primary key,
    secret_hash text not null,
    account_id text references account (id) on delete cascade,
    session_id text,
    admin_key_hash text,
    created_at integer not null,
    expires_at integer not null,
    mac blob not null
  ) strict`,
  sql`create index admin_session_account_id on admin_session (account_id)`,
  sql`create index admin_session_expires_at on admin_session (expires_at)`,
];

const KEYS = [
  sql`create table ethereum_key (
    id text primary key,
    account_id text not null references account (id),
    key_index integer not null check (key_index between 0 and 4294967295),
    address blob not null,
    public_key blob not null,
    label text not null,
    blind_signing text not null check (blind_signing in ('allow', 'guard', 'deny')),
    created_at integer not null,
    archived_at integer,
    mac blob not null,
    revision integer,
    policy text,
    policy_change text,
    policy_change_at integer check ((policy_change is null) = (policy_change_at is null)),
    unique (account_id, key_index)
  ) strict`,
  sql`create index ethereum_key_policy_change_at on ethereum_key (policy_change_at, id)
    where policy_change_at is not null`,
  // Two keys of an account never have the same address: each is derived from its own index.
  sql`create unique index ethereum_key_address on ethereum_key (account_id, address)`,
  sql`create table api_token (
    id text primary key,
    secret_hash text not null,
    account_id text not null references account (id),
    name text not null,
    keys text not null,
    actions text not null,
    networks text,
    created_at integer not null,
    expires_at integer not null,
    last_used_at integer,
    last_used_network text,
    mac blob not null,
    revision integer,
    policy text,
    jkt text
  ) strict`,
  sql`create index api_token_account_id on api_token (account_id)`,
  sql`create index api_token_expires_at on api_token (expires_at)`,
  sql`create table policy_use (
    holder_id text primary key,
    account_id text not null references account (id) on delete cascade,
    counts text not null,
    expires_at integer,
    mac blob not null
  ) strict`,
  sql`create index policy_use_account_id on policy_use (account_id)`,
  sql`create index policy_use_expires_at on policy_use (expires_at) where expires_at is not null`,
  sql`create table signing_request (
    id text primary key,
    account_id text not null references account (id) on delete cascade,
    key_id text not null,
    requester text not null,
    client_id text,
    requester_name text,
    network text not null,
    kind text not null check (kind in ('personal_sign', 'raw', 'digest', 'typed_data', 'transaction', 'authorization')),
    document blob,
    digest blob not null,
    reason text not null,
    state text not null check (state in ('pending', 'signed', 'declined', 'refused', 'withdrawn', 'expired')),
    code text,
    word text,
    created_at integer not null,
    expires_at integer not null,
    ended_at integer,
    mac blob not null
  ) strict`,
  sql`create index signing_request_account_id on signing_request (account_id, state, created_at, id)`,
  sql`create index signing_request_expires_at on signing_request (expires_at)`,
  sql`create table idempotent_answer (
    holder text not null,
    idempotency_key text not null,
    account_id text references account (id) on delete cascade,
    request_hash text not null,
    answer text not null,
    sealed blob,
    created_at integer not null,
    expires_at integer not null,
    mac blob not null,
    primary key (holder, idempotency_key)
  ) strict`,
  sql`create index idempotent_answer_account_id on idempotent_answer (account_id)`,
  sql`create index idempotent_answer_expires_at on idempotent_answer (expires_at)`,
];

const OAUTH = [
  sql`create table client (
    id text primary key,
    name text not null,
    uri text not null,
    type text not null check (type in ('spa', 'native', 'web')),
    redirect_uris text not null,
    post_logout_redirect_uris text not null,
    id_token_alg text not null check (id_token_alg in ('ES256', 'RS256', 'EdDSA')),
    secret_hash text,
    disabled integer not null check (disabled in (0, 1)),
    created_at integer not null,
    updated_at integer not null,
    mac blob not null,
    key_scopes text,
    dpop_bound integer check (dpop_bound in (0, 1)),
    previous_secret_hash text,
    previous_secret_expires_at integer
      check ((previous_secret_hash is null) = (previous_secret_expires_at is null)),
    declared integer check (declared in (0, 1)),
    backchannel_logout_uri text,
    backchannel_logout_session integer
      check ((backchannel_logout_uri is null) = (backchannel_logout_session is null))
  ) strict`,
  sql`create index client_created_at on client (created_at, id)`,
  sql`create table authorization_request (
    id text primary key,
    client_id text not null references client (id) on delete cascade,
    redirect_uri text not null,
    scope text not null,
    state text,
    nonce text,
    code_challenge text not null,
    prompt text not null,
    max_age integer,
    login_hint text,
    hinted_account_id text,
    browser_hash text,
    session_id text,
    created_at integer not null,
    expires_at integer not null,
    mac blob not null,
    dpop_jkt text,
    policy text
  ) strict`,
  sql`create index authorization_request_client_id on authorization_request (client_id)`,
  sql`create index authorization_request_expires_at on authorization_request (expires_at)`,
  sql`create table consent (
    account_id text not null references account (id),
    client_id text not null references client (id),
    redirect_target text not null,
    scope text not null,
    created_at integer not null,
    mac blob not null,
    primary key (account_id, client_id, redirect_target)
  ) strict`,
  sql`create index consent_client_id on consent (client_id)`,
  sql`create table authorization_grant (
    id text primary key,
    account_id text not null references account (id),
    client_id text not null references client (id),
    scope text not null,
    state text not null check (state in ('waiting', 'in_use')),
    authenticated_at integer not null,
    created_at integer not null,
    expires_at integer not null,
    mac blob not null,
    jkt text,
    keys text,
    policy text,
    ends_at integer,
    sid text,
    refresh_id text
  ) strict`,
  sql`create index authorization_grant_account_id
    on authorization_grant (account_id, client_id, state, expires_at desc, id)`,
  sql`create index authorization_grant_client_id on authorization_grant (client_id)`,
  sql`create index authorization_grant_expires_at on authorization_grant (expires_at)`,
  sql`create table authorization_code (
    id text primary key,
    secret_hash text not null,
    grant_id text not null references authorization_grant (id) on delete cascade,
    redirect_uri text not null,
    code_challenge text not null,
    nonce text,
    created_at integer not null,
    expires_at integer not null,
    used_at integer,
    mac blob not null
  ) strict`,
  sql`create index authorization_code_grant_id on authorization_code (grant_id)`,
  // No reference to the grant: deleting one would have to find and delete up to tens of thousands of rows in one
  // transaction.
  sql`create table refresh_token (
    id text primary key,
    secret_hash text not null,
    grant_id text not null,
    parent_id text,
    successor_id text,
    created_at integer not null,
    expires_at integer not null,
    spent_at integer,
    answer blob,
    mac blob not null
  ) strict`,
  sql`create index refresh_token_expires_at on refresh_token (expires_at)`,
  sql`create index refresh_token_answer on refresh_token (spent_at) where answer is not null`,
  // Ordered by expiry, so that an insertion changes few pages.
  sql`create table dpop_proof (
    expires_at integer not null,
    id blob not null,
    primary key (expires_at, id)
  ) strict, without rowid`,
  sql`create table application_session (
    id text primary key,
    session_id text not null references session (id) on delete cascade,
    client_id text not null references client (id) on delete cascade,
    account_id text not null,
    created_at integer not null,
    mac blob not null,
    unique (session_id, client_id)
  ) strict`,
  sql`create index application_session_client_id on application_session (client_id)`,
  sql`create index application_session_account_id on application_session (account_id)`,
  sql`create table logout_request (
    id text primary key,
    client_id text references client (id) on delete cascade,
    hinted_sid text,
    redirect_uri text,
    state text,
    created_at integer not null,
    expires_at integer not null,
    mac blob not null
  ) strict`,
  sql`create index logout_request_client_id on logout_request (client_id)`,
  sql`create index logout_request_expires_at on logout_request (expires_at)`,
  // No reference to the account: its clients are notified after the account was deleted.
  sql`create table logout_notice (
    id text primary key,
    client_id text not null references client (id) on delete cascade,
    subject text not null,
    sid text,
    created_at integer not null,
    expires_at integer not null,
    attempts integer not null,
    next_attempt_at integer not null,
    mac blob not null
  ) strict`,
  sql`create index logout_notice_client_id on logout_notice (client_id)`,
  sql`create index logout_notice_expires_at on logout_notice (expires_at)`,
  sql`create index logout_notice_next_attempt_at on logout_notice (next_attempt_at, id)`,
];

const BROKER = [
  sql`create table release_challenge (
    nonce text primary key,
    workload text not null,
    created_at integer not null,
    expires_at integer not null,
    mac blob not null
  ) strict`,
  sql`create index release_challenge_expires_at on release_challenge (expires_at)`,
  sql`create table release_key (
    workload text primary key,
    sealed blob not null,
    created_at integer not null,
    mac blob not null
  ) strict`,
];

const SERVICE = [
  // Measured with 100,000 mails. The first index shows if any mail is due. The second shows which of those expires
  // first, without reading a row. The third finds the newest.
  sql`create table outbox (
    id text primary key,
    sealed blob not null,
    created_at integer not null,
    expires_at integer not null,
    attempts integer not null default 0,
    next_attempt_at integer not null default 0
  ) strict`,
  sql`create index outbox_next_attempt_at on outbox (next_attempt_at) where attempts < 50`,
  sql`create index outbox_expires_at on outbox (expires_at, next_attempt_at, attempts, id)`,
  sql`create index outbox_created_at on outbox (created_at)`,
  sql`create table rate_limit (
    name text not null,
    subject text not null,
    full_at integer not null,
    primary key (name, subject)
  ) strict`,
  sql`create index rate_limit_full_at on rate_limit (full_at)`,
  sql`create table audit_event (
    seq integer primary key,
    at integer not null,
    event text not null,
    account_id text,
    subject text,
    detail text not null,
    state blob,
    hash blob not null,
    mac blob not null
  ) strict`,
  sql`create index audit_event_account_id on audit_event (account_id, seq)`,
  sql`create index audit_event_turn on audit_event (seq)
    where event in ('log_fault_noticed', 'rollback_acknowledged')`,
  sql`create index audit_event_key_policy on audit_event (account_id, json_extract(detail, '$.keyIndex'), seq)
    where event = 'key_policy_changed'`,
  sql`create trigger audit_event_no_update before update on audit_event
    begin select raise(abort, 'audit_event is append-only'); end`,
  sql`create trigger audit_event_no_delete before delete on audit_event
    begin select raise(abort, 'audit_event is append-only'); end`,
  sql`create table audit_checkpoint (
    id integer primary key check (id = 1),
    seq integer not null,
    hash blob not null,
    state_tags blob not null,
    mac blob not null
  ) strict`,
  sql`create table owner_state (
    owner text primary key,
    version integer not null,
    sets blob not null,
    mac blob not null
  ) strict`,
];

export const INIT = [...VAULT, ...ACCOUNTS, ...KEYS, ...OAUTH, ...BROKER, ...SERVICE];
