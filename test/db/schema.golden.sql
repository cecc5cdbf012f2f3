CREATE TRIGGER audit_event_no_delete before delete on audit_event
    begin select raise(abort, 'audit_event is append-only'); end;

CREATE TRIGGER audit_event_no_update before update on audit_event
    begin select raise(abort, 'audit_event is append-only'); end;

CREATE TABLE account (
    id text primary key,
    email text unique,
    email_proved_by text,
    name text,
    created_at integer not null,
    mac blob not null,
    disabled_at integer,
    revision integer,
    language text not null default 'en'
  , updated_at integer) strict;

CREATE TABLE account_deletion (
    id text primary key,
    account_id text not null unique references account (id),
    created_at integer not null,
    due_at integer not null,
    mac blob not null
  ) strict;

CREATE TABLE account_device (
    id text not null,
    account_id text not null,
    secret_hash text not null,
    created_at integer not null,
    last_seen_at integer not null,
    mac blob not null,
    primary key (account_id, secret_hash)
  ) strict;

CREATE TABLE account_recovery (
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
  ) strict;

CREATE TABLE admin_session (
    id text primary key,
    secret_hash text not null,
    account_id text references account (id) on delete cascade,
    session_id text,
    admin_key_hash text,
    created_at integer not null,
    expires_at integer not null,
    mac blob not null
  ) strict;

CREATE TABLE administrator_address (
      email text primary key,
      account_id text not null,
      created_at integer not null,
      mac blob not null
    ) strict;

CREATE TABLE api_token (
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
  ) strict;

CREATE TABLE application_session (
    id text primary key,
    session_id text not null references session (id) on delete cascade,
    client_id text not null references client (id) on delete cascade,
    account_id text not null,
    created_at integer not null,
    mac blob not null,
    unique (session_id, client_id)
  ) strict;

CREATE TABLE audit_checkpoint (
    id integer primary key check (id = 1),
    seq integer not null,
    hash blob not null,
    state_tags blob not null,
    mac blob not null
  ) strict;

CREATE TABLE audit_event (
    seq integer primary key,
    at integer not null,
    event text not null,
    account_id text,
    subject text,
    detail text not null,
    state blob,
    hash blob not null,
    mac blob not null
  ) strict;

CREATE TABLE authorization_grant (
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
  , resource text, claims text, wallets text, session_id text, code text) strict;

CREATE TABLE authorization_request (
      id text primary key,
      client_id text not null,
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
      policy text,
      pushed_request_id text,
      resource text,
      claims text,
      client_document text
    ) strict;

CREATE TABLE challenge (
    kind text not null check (kind in ('registration', 'authentication', 'step_up')),
    challenge text not null,
    bound_to text not null,
    created_at integer not null,
    expires_at integer not null,
    mac blob not null,
    primary key (kind, challenge)
  ) strict;

CREATE TABLE client (
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
  , require_pushed integer, claim_scopes text, auth_method text, jwks text, jwks_uri text, groups text, device_grant integer) strict;

CREATE TABLE code_use (
      address_id text primary key,
      used_id text,
      used_at integer,
      tried_until integer not null,
      expires_at integer not null,
      mac blob not null
    ) strict;

CREATE TABLE consent (
    account_id text not null references account (id),
    client_id text not null references client (id),
    redirect_target text not null,
    scope text not null,
    created_at integer not null,
    mac blob not null, claims text, wallets text,
    primary key (account_id, client_id, redirect_target)
  ) strict;

CREATE TABLE device_request (
      id text primary key,
      client_id text not null references client (id) on delete cascade,
      secret_hash text not null,
      user_code text not null unique,
      scope text not null,
      claims text,
      policy text,
      resource text,
      dpop_jkt text,
      network text not null,
      state text not null,
      account_id text,
      grant_id text,
      created_at integer not null,
      expires_at integer not null,
      polled_at integer,
      poll_interval integer not null,
      mac blob not null
    ) strict;

CREATE TABLE dpop_proof (
    expires_at integer not null,
    id blob not null,
    primary key (expires_at, id)
  ) strict, without rowid;

CREATE TABLE email_change (
    id text primary key,
    secret_hash text not null,
    account_id text not null references account (id),
    old_email text not null,
    old_email_proved_by text,
    new_email text not null,
    created_at integer not null,
    expires_at integer not null,
    mac blob not null
  ) strict;

CREATE TABLE email_code (
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
  ) strict;

CREATE TABLE ethereum_key (
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
  ) strict;

CREATE TABLE group_member (
      id text primary key,
      group_id text not null,
      account_id text not null references account (id),
      created_at integer not null,
      mac blob not null
    ) strict;

CREATE TABLE idempotent_answer (
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
  ) strict;

CREATE TABLE identity (
    id text primary key,
    issuer text not null,
    subject text not null,
    account_id text not null references account (id),
    created_at integer not null,
    mac blob not null,
    unique (issuer, subject)
  ) strict;

CREATE TABLE identity_request (
    provider text not null,
    state_hash text not null,
    browser_hash text not null,
    return_to text not null,
    created_at integer not null,
    expires_at integer not null,
    mac blob not null,
    session_id text,
    primary key (provider, state_hash)
  ) strict;

CREATE TABLE invitation (
    id text primary key,
    secret_hash text not null,
    email text,
    uses integer not null,
    used integer not null check (used between 0 and uses),
    created_at integer not null,
    expires_at integer not null,
    mac blob not null
  ) strict;

CREATE TABLE logout_notice (
    id text primary key,
    client_id text not null references client (id) on delete cascade,
    subject text not null,
    sid text,
    created_at integer not null,
    expires_at integer not null,
    attempts integer not null,
    next_attempt_at integer not null,
    mac blob not null
  ) strict;

CREATE TABLE logout_request (
    id text primary key,
    client_id text references client (id) on delete cascade,
    hinted_sid text,
    redirect_uri text,
    state text,
    created_at integer not null,
    expires_at integer not null,
    mac blob not null
  ) strict;

CREATE TABLE outbox (
    id text primary key,
    sealed blob not null,
    created_at integer not null,
    expires_at integer not null,
    attempts integer not null default 0,
    next_attempt_at integer not null default 0
  ) strict;

CREATE TABLE owner_state (
    owner text primary key,
    version integer not null,
    sets blob not null,
    mac blob not null
  ) strict;

CREATE TABLE passkey (
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
  , answered text) strict;

CREATE TABLE policy_use (
    holder_id text primary key,
    account_id text not null references account (id) on delete cascade,
    counts text not null,
    expires_at integer,
    mac blob not null
  ) strict;

CREATE TABLE push_delivery (
      id text primary key,
      subscription_id text not null references push_subscription (id) on delete cascade,
      body text not null,
      created_at integer not null,
      expires_at integer not null,
      attempts integer not null,
      next_attempt_at integer not null,
      mac blob not null
    ) strict;

CREATE TABLE push_subscription (
      id text primary key,
      account_id text not null references account (id),
      session_id text not null unique,
      endpoint text not null,
      p256dh text not null,
      auth text not null,
      created_at integer not null,
      expires_at integer not null,
      mac blob not null
    ) strict;

CREATE TABLE pushed_request (
      id text primary key,
      client_id text not null references client (id) on delete cascade,
      parameters text not null,
      created_at integer not null,
      expires_at integer not null,
      mac blob not null
    ) strict;

CREATE TABLE rate_limit (
    name text not null,
    subject text not null,
    full_at integer not null,
    primary key (name, subject)
  ) strict;

CREATE TABLE recovery_code (
    code_hash text primary key,
    account_id text not null references account (id),
    generation integer not null,
    number integer not null,
    created_at integer not null,
    mac blob not null
  ) strict;

CREATE TABLE refresh_token (
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
  ) strict;

CREATE TABLE release_challenge (
    nonce text primary key,
    workload text not null,
    created_at integer not null,
    expires_at integer not null,
    mac blob not null
  ) strict;

CREATE TABLE release_key (
    workload text primary key,
    sealed blob not null,
    created_at integer not null,
    mac blob not null
  ) strict;

CREATE TABLE removed_passkey (
    id text primary key,
    account_id text not null references account (id) on delete cascade,
    credential_id blob not null unique,
    public_key blob not null,
    algorithm integer not null,
    backup_eligible integer not null check (backup_eligible in (0, 1)),
    sign_count integer not null,
    created_at integer not null,
    mac blob not null
  ) strict;

CREATE TABLE seal_set (
    id text primary key,
    version integer not null,
    slots text not null,
    mac blob not null
  ) strict;

CREATE TABLE seal_slot (
    id text primary key,
    source text not null,
    api text,
    seal_key_id text not null,
    version integer not null,
    sealed blob not null,
    threshold integer,
    shares integer,
    share_hashes blob,
    created_at integer not null,
    opened_at integer,
    mac blob not null
  ) strict;

CREATE TABLE session (
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
  , idle_ms integer, is_shared integer) strict;

CREATE TABLE sign_in_ticket (
    id text primary key,
    secret_hash text not null,
    account_id text not null references account (id) on delete cascade,
    created_at integer not null,
    expires_at integer not null,
    mac blob not null
  ) strict;

CREATE TABLE sign_up_ticket (
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
  ) strict;

CREATE TABLE signing_refusal (
      holder_id text not null,
      hour integer not null,
      policy text not null,
      rule text not null,
      account_id text not null references account (id) on delete cascade,
      client_id text,
      count integer not null,
      first_at integer not null,
      last_at integer not null,
      primary key (holder_id, hour, policy, rule)
    ) strict;

CREATE TABLE signing_request (
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
  , purpose text) strict;

CREATE TABLE token_key (
    id text primary key,
    algorithm text not null check (algorithm in ('ES256', 'RS256', 'EdDSA')),
    public_jwk text not null,
    sealed blob not null,
    created_at integer not null,
    signs_from integer not null,
    mac blob not null
  ) strict;

CREATE TABLE user_group (
      id text primary key,
      name text not null unique,
      created_at integer not null,
      mac blob not null
    ) strict;

CREATE TABLE webhook (
      id text primary key,
      subject text,
      url text not null,
      events text not null,
      signature text not null,
      created_at integer not null,
      mac blob not null
    ) strict;

CREATE TABLE webhook_delivery (
      id text primary key,
      webhook_id text not null references webhook (id) on delete cascade,
      body text not null,
      created_at integer not null,
      state text not null,
      expires_at integer not null,
      attempts integer not null,
      next_attempt_at integer not null,
      result text,
      settled_at integer,
      mac blob not null
    ) strict;

CREATE TABLE webhook_position (id integer primary key, seq integer not null) strict;

CREATE INDEX account_created_at on account (created_at, id);

CREATE INDEX account_deletion_due_at on account_deletion (due_at, id);

CREATE INDEX account_device_last_seen_at on account_device (last_seen_at);

CREATE INDEX account_recovery_next_check_at on account_recovery (next_check_at, account_id)
    where next_check_at is not null;

CREATE INDEX admin_session_account_id on admin_session (account_id);

CREATE INDEX admin_session_expires_at on admin_session (expires_at);

CREATE INDEX api_token_account_id on api_token (account_id);

CREATE INDEX api_token_expires_at on api_token (expires_at);

CREATE INDEX application_session_account_id on application_session (account_id);

CREATE INDEX application_session_client_id on application_session (client_id);

CREATE INDEX audit_event_account_id on audit_event (account_id, seq);

CREATE INDEX audit_event_key_policy on audit_event (account_id, json_extract(detail, '$.keyIndex'), seq)
    where event = 'key_policy_changed';

CREATE INDEX audit_event_seal_slot on audit_event (seq)
    where event in ('seal_slot_added', 'seal_slot_removed');

CREATE INDEX audit_event_turn on audit_event (seq)
    where event in ('log_fault_noticed', 'rollback_acknowledged');

CREATE INDEX authorization_grant_account_id
    on authorization_grant (account_id, client_id, state, expires_at desc, id);

CREATE INDEX authorization_grant_client_id on authorization_grant (client_id);

CREATE INDEX authorization_grant_expires_at on authorization_grant (expires_at);

CREATE INDEX authorization_request_expires_at on authorization_request (expires_at);

CREATE INDEX challenge_expires_at on challenge (expires_at);

CREATE INDEX client_created_at on client (created_at, id);

CREATE INDEX code_use_expires_at on code_use (expires_at);

CREATE INDEX consent_client_id on consent (client_id);

CREATE INDEX device_request_account_id on device_request (account_id);

CREATE INDEX device_request_client_id on device_request (client_id);

CREATE INDEX device_request_expires_at on device_request (expires_at);

CREATE INDEX email_change_account_id on email_change (account_id, created_at, id);

CREATE INDEX email_change_expires_at on email_change (expires_at);

CREATE INDEX email_change_old_email on email_change (old_email, expires_at, id);

CREATE INDEX email_code_expires_at on email_code (expires_at);

CREATE UNIQUE INDEX ethereum_key_address on ethereum_key (account_id, address);

CREATE INDEX ethereum_key_policy_change_at on ethereum_key (policy_change_at, id)
    where policy_change_at is not null;

CREATE INDEX group_member_account_id on group_member (account_id, group_id);

CREATE INDEX group_member_group_id on group_member (group_id);

CREATE INDEX idempotent_answer_account_id on idempotent_answer (account_id);

CREATE INDEX idempotent_answer_expires_at on idempotent_answer (expires_at);

CREATE INDEX identity_account_id on identity (account_id);

CREATE INDEX identity_request_expires_at on identity_request (expires_at);

CREATE INDEX invitation_created_at on invitation (created_at, id);

CREATE INDEX invitation_expires_at on invitation (expires_at);

CREATE INDEX logout_notice_client_id on logout_notice (client_id);

CREATE INDEX logout_notice_expires_at on logout_notice (expires_at);

CREATE INDEX logout_notice_next_attempt_at on logout_notice (next_attempt_at, id);

CREATE INDEX logout_request_client_id on logout_request (client_id);

CREATE INDEX logout_request_expires_at on logout_request (expires_at);

CREATE INDEX outbox_created_at on outbox (created_at);

CREATE INDEX outbox_expires_at on outbox (expires_at, next_attempt_at, attempts, id);

CREATE INDEX outbox_next_attempt_at on outbox (next_attempt_at) where attempts < 50;

CREATE INDEX passkey_account_id on passkey (account_id);

CREATE INDEX policy_use_account_id on policy_use (account_id);

CREATE INDEX policy_use_expires_at on policy_use (expires_at) where expires_at is not null;

CREATE INDEX push_delivery_expires_at on push_delivery (expires_at);

CREATE INDEX push_delivery_next_attempt_at on push_delivery (next_attempt_at, id);

CREATE INDEX push_delivery_subscription_id on push_delivery (subscription_id);

CREATE INDEX push_subscription_account_id on push_subscription (account_id, created_at, id);

CREATE INDEX push_subscription_expires_at on push_subscription (expires_at);

CREATE INDEX pushed_request_client_id on pushed_request (client_id);

CREATE INDEX pushed_request_expires_at on pushed_request (expires_at);

CREATE INDEX rate_limit_full_at on rate_limit (full_at);

CREATE INDEX recovery_code_account_id on recovery_code (account_id, number);

CREATE INDEX refresh_token_answer on refresh_token (created_at) where answer is not null;

CREATE INDEX refresh_token_expires_at on refresh_token (expires_at);

CREATE INDEX release_challenge_expires_at on release_challenge (expires_at);

CREATE INDEX removed_passkey_account_id on removed_passkey (account_id);

CREATE INDEX removed_passkey_created_at on removed_passkey (created_at);

CREATE INDEX session_account_id on session (account_id);

CREATE INDEX session_expires_at on session (expires_at);

CREATE INDEX session_last_seen_at on session (last_seen_at);

CREATE INDEX sign_in_ticket_account_id on sign_in_ticket (account_id);

CREATE INDEX sign_in_ticket_expires_at on sign_in_ticket (expires_at);

CREATE INDEX sign_up_ticket_expires_at on sign_up_ticket (expires_at);

CREATE INDEX signing_refusal_account_id on signing_refusal (account_id);

CREATE INDEX signing_refusal_hour on signing_refusal (hour);

CREATE INDEX signing_request_account_id on signing_request (account_id, state, created_at, id);

CREATE INDEX signing_request_expires_at on signing_request (expires_at);

CREATE INDEX user_group_created_at on user_group (created_at, id);

CREATE INDEX webhook_delivery_created_at on webhook_delivery (created_at);

CREATE INDEX webhook_delivery_next_attempt_at on webhook_delivery (next_attempt_at, id);

CREATE INDEX webhook_delivery_state on webhook_delivery (webhook_id, state);

CREATE INDEX webhook_delivery_webhook_id on webhook_delivery (webhook_id, created_at, id);
