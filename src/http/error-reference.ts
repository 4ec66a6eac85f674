/** Meaning and remedy of every `error.code` that this server sends. Rendered at /docs/errors. */
export const errorReference: Readonly<Record<string, { readonly status: number; readonly meaning: string }>> = {
  invalid_json: {
    status: 400,
    meaning: 'The body is not JSON in UTF-8, or its content-type is not application/json.',
  },
  invalid_form: {
    status: 400,
    meaning: 'The body is not a form (`multipart/form-data`), or one with too many or nameless fields.',
  },
  missing_required_parameter: { status: 400, meaning: 'A required field is missing; `param` names it.' },
  invalid_value: { status: 400, meaning: 'A field has a wrong type or is out of range; `param` names it.' },
  unsupported_parameter: {
    status: 400,
    meaning: 'A field asks for something this server does not do; `param` names it. Leave it out.',
  },
  unsupported_content: {
    status: 400,
    meaning:
      'A message part is of a kind that the model or this server does not take. GET /models shows which models take pictures and audio.',
  },
  invalid_image: {
    status: 400,
    meaning:
      'A picture cannot be decoded, or has more pixels than the limit; `param` names it, and the message says what is wrong with it.',
  },
  invalid_image_url: {
    status: 400,
    meaning:
      'A picture may not be fetched from its address, or does not come from there. Send the picture itself, as a data: URL.',
  },
  too_many_images: { status: 400, meaning: 'A request has more pictures than the limit. Leave out the oldest.' },
  invalid_document: {
    status: 400,
    meaning:
      'A document cannot be read: damaged, encrypted, with more than 100 pages or 4 million characters, or too costly; `param` names it, and the message says what is wrong with it.',
  },
  invalid_document_url: {
    status: 400,
    meaning:
      'A document may not be fetched from its address, or does not come from there. Send the document itself, as base64.',
  },
  invalid_audio: {
    status: 400,
    meaning:
      'The recording cannot be decoded, has no sound, or is longer than 12 hours (10 minutes in a chat); the message says which, and what to send.',
  },
  image_refused: {
    status: 400,
    meaning: "The model's server does not make the picture: it refuses the prompt, or a field such as `size`.",
  },
  invalid_audio_url: {
    status: 400,
    meaning:
      'A recording may not be fetched from its address, or does not come from there. Send the recording itself, as base64.',
  },
  too_many_recordings: { status: 400, meaning: 'A chat has more than eight recordings. Leave out the oldest.' },
  invalid_schema: {
    status: 400,
    meaning: 'A JSON Schema is too deep, too large, refers to nothing, or asks for what no answer can be held to.',
  },
  tool_name_conflict: { status: 400, meaning: 'Two tools of a request have the same name; `param` names the second.' },
  context_length_exceeded: {
    status: 400,
    meaning:
      "The conversation, or a text to embed, is longer than the model's context. Shorten it; nothing is ever cut silently.",
  },
  too_many_documents: {
    status: 400,
    meaning:
      'The request has more documents than the setting rerank-documents allows, or a chat more than eight. Send the others in another one.',
  },
  diarization_unsupported: {
    status: 400,
    meaning: 'The model does not tell speakers apart. GET /models shows which do, under `capabilities`.',
  },
  translation_unsupported: {
    status: 400,
    meaning: 'The model does not translate speech. GET /models shows which do, under `capabilities`.',
  },
  model_type_mismatch: { status: 400, meaning: 'The model is of another type than the endpoint serves.' },
  invalid_host: {
    status: 400,
    meaning: 'The request line or its Host header does not form an address, or there are two Host headers.',
  },
  email_taken: { status: 400, meaning: 'The address has an account already.' },
  disposable_email: { status: 400, meaning: 'Mail to this domain is thrown away, or its operator refuses it.' },
  voucher_unknown: { status: 400, meaning: 'There is no voucher with this code.' },
  voucher_used: { status: 400, meaning: 'The voucher was redeemed before.' },
  voucher_expired: { status: 400, meaning: 'The voucher has expired.' },
  voucher_over_limit: { status: 400, meaning: 'The balance would be more than an account may have.' },
  voucher_revoked: { status: 400, meaning: 'The operator has withdrawn the voucher.' },
  too_many_keys: { status: 400, meaning: 'The account has as many keys as it may have. Revoke one first.' },
  playground_key: {
    status: 400,
    meaning: 'The key of the playground has no secret: it can be neither revoked nor renamed.',
  },
  second_factor_exists: { status: 400, meaning: 'The account has a second factor. Remove it first.' },
  second_factor_not_offered: {
    status: 400,
    meaning: 'Only staff (operators, treasurers, auditors) have a second factor.',
  },
  weak_password: { status: 400, meaning: 'The password is too short, too long, or one that everybody tries first.' },
  pull_refused: { status: 400, meaning: 'The model cannot be downloaded: the message says why.' },
  pull_running: { status: 400, meaning: 'The model is being downloaded.' },
  model_not_removable: { status: 400, meaning: 'The model has no files that could be removed.' },
  model_busy: { status: 400, meaning: 'Requests run on the model. Try again when they have ended.' },
  unsupported_operation: { status: 400, meaning: 'This server does not do that: the message says why.' },
  oidc_logout_refused: { status: 400, meaning: 'A logout token of an identity provider fails a check.' },
  missing_api_key: { status: 401, meaning: 'Send a key: `Authorization: Bearer <key>`.' },
  invalid_api_key: { status: 401, meaning: 'The key is not one of this server.' },
  key_revoked: { status: 401, meaning: 'The key was revoked. Use another one.' },
  key_expired: { status: 401, meaning: 'The key has expired. Use another one.' },
  account_disabled: { status: 401, meaning: 'The account of the key is disabled. Its operator can enable it again.' },
  not_signed_in: { status: 401, meaning: 'Nobody is signed in to the dashboard here.' },
  invalid_credentials: { status: 401, meaning: 'The address and the password do not go together.' },
  second_factor_needed: {
    status: 401,
    meaning: 'The password is right; send `code` of the authenticator app as well.',
  },
  wrong_code: { status: 401, meaning: 'The code of the second factor is wrong or was used before.' },
  invalid_link: { status: 401, meaning: 'The link was used before, has expired, or is not complete.' },
  identity_paused: {
    status: 401,
    meaning: 'The key pauses until its holder signs in by their identity provider again.',
  },
  oidc_expired: {
    status: 401,
    meaning: 'A sign-in by an identity provider was begun in another browser, was used before, or took too long.',
  },
  oidc_refused: {
    status: 401,
    meaning: 'The identity provider refuses the sign-in, or its answer fails a check; the message names it.',
  },
  insufficient_balance: {
    status: 402,
    meaning:
      'The balance does not pay for the request. Add funds on the billing page, ask for fewer tokens, or send less.',
  },
  budget_exceeded: {
    status: 402,
    meaning:
      'A budget of the account or the key has too little left; the message says which, and when it begins anew. Trying again does not help before.',
  },
  model_not_allowed: { status: 403, meaning: 'A limit of the account or the key leaves the model out.' },
  endpoint_not_allowed: { status: 403, meaning: 'A limit of the account or the key leaves the endpoint out.' },
  network_not_allowed: {
    status: 403,
    meaning: 'A limit of the account or the key serves listed networks alone, and the address is in none of them.',
  },
  model_not_priced: {
    status: 403,
    meaning: 'The operator has set no price for the model, so it serves unmetered accounts only. 0 would be a price.',
  },
  local_sign_in_off: { status: 403, meaning: 'Passwords and mailed links sign nobody in (`local-sign-in`).' },
  oidc_email_unverified: {
    status: 403,
    meaning: 'The identity provider names no mail address that it has verified (`trust_email`).',
  },
  oidc_no_group: { status: 403, meaning: 'The person is in none of the groups that may sign in (`allowed_groups`).' },
  oidc_no_account: {
    status: 403,
    meaning: 'The person has no account, or its address is that of an account that only its owner links, signed in.',
  },
  oidc_taken: { status: 403, meaning: 'The identity signs in to another account.' },
  oidc_groups_missing: {
    status: 403,
    meaning:
      'The identity provider left the groups out, since they are too many. They count as unknown, never as none.',
  },
  signup_closed: { status: 403, meaning: 'This server takes no signups. Ask its operator for an account.' },
  license_not_accepted: { status: 403, meaning: "An operator has to accept the model's licence first." },
  operator_only: { status: 403, meaning: "Only a key of an operator's account may ask for this." },
  not_a_member: { status: 403, meaning: 'The account is no member of this team. An operator adds members.' },
  team_has_members: { status: 409, meaning: 'The team still has members. Remove them first.' },
  not_for_role: { status: 403, meaning: "The account's role may not do this. Ask an operator." },
  not_an_operator: {
    status: 403,
    meaning: 'Only staff may ask for this, signed in by a password or an identity provider.',
  },
  https_required: {
    status: 403,
    meaning: 'The request came without TLS to a server that speaks it. Begin the base URL with https://.',
  },
  admin_is_local: {
    status: 403,
    meaning: "The operator's pages can be used on the server's machine alone (`--admin network` opens them).",
  },
  second_factor_required: { status: 403, meaning: 'The rights of staff need a second factor on this server.' },
  setup_link_needed: { status: 403, meaning: 'The password of staff is chosen by a setup link: `inferd admin link`.' },
  request_cancelled: { status: 403, meaning: "The server's operator cancelled the request. Nothing was charged." },
  cross_origin: { status: 403, meaning: 'This is not for pages of other sites.' },
  request_not_found: {
    status: 404,
    meaning: 'The account has no record of such a request: it was refused, or still runs.',
  },
  key_not_found: { status: 404, meaning: 'The account has no such key.' },
  not_supported: {
    status: 404,
    meaning: 'This server, or the one behind the model, does not do that; the message says what to do instead.',
  },
  not_found: { status: 404, meaning: 'There is nothing at this path.' },
  model_not_found: {
    status: 404,
    meaning:
      'No model has this id or alias, or its files are not on this server. GET /models lists them, with their status.',
  },
  method_not_allowed: { status: 405, meaning: 'The path exists, but not for this method; `allow` lists those it has.' },
  request_timeout: { status: 408, meaning: 'The body took too long to arrive. Send it faster, or less of it.' },
  operation_failed: { status: 409, meaning: 'What an operator asked for cannot be done now; the message says why.' },
  payload_too_large: {
    status: 413,
    meaning: 'The body, or the file in it, is larger than the limit. Accounts without money may send 1 MB of JSON.',
  },
  input_too_long: { status: 413, meaning: 'A request may speak 20,000 characters. Send the others in another one.' },
  too_many_inputs: {
    status: 413,
    meaning: 'The request has more texts than the setting embedding-inputs allows. Send the others in another one.',
  },
  unsupported_media_type: { status: 415, meaning: 'The body has a content-encoding. Send it uncompressed.' },
  unknown_host: {
    status: 421,
    meaning: 'The dashboard and signup are not served under this host name. The setting allowed-hosts adds names.',
  },
  upstream_circle: {
    status: 421,
    meaning:
      'The servers that serve this model stand behind each other in a circle. Their operator has to change its endpoints.',
  },
  upgrade_required: { status: 426, meaning: 'There is no web socket at this path. Use POST.' },
  too_many_attempts: { status: 429, meaning: 'Tried too often. `retry-after` says when to try again.' },
  too_many_changes: {
    status: 429,
    meaning:
      'The account has changed names, keys, sessions or the like too often. `retry-after` says when to try again.',
  },
  too_many_new_keys: {
    status: 429,
    meaning: 'An account gets 200 new keys a day, whatever becomes of them. `retry-after` says when to try again.',
  },
  signup_limit: {
    status: 429,
    meaning:
      'There were enough signups from this network today, or tries to sign up. `retry-after` says when to try again.',
  },
  internal_error: { status: 500, meaning: 'A bug. The log of the server has it under the x-request-id.' },
  engine_failed: {
    status: 502,
    meaning:
      'The process that runs the model died after a part of the answer was sent, or twice while it had this request. It restarts by itself: try again, with another request where the message says so.',
  },
  pull_failed: { status: 502, meaning: 'The download of the model ended early. Try again: what has come is kept.' },
  model_unavailable: { status: 503, meaning: 'The model cannot be loaded; the message says why.' },
  model_loading: {
    status: 503,
    meaning:
      'The model is not loaded yet, and will not be for longer than the request would wait. Try again after `retry-after` seconds; `Prefer: wait=N` sets how long a request waits.',
  },
  insufficient_memory: {
    status: 503,
    meaning:
      'There is not enough memory for the model, and none that could be taken from others. The message has the numbers and who holds the memory.',
  },
  rate_limit_exceeded: {
    status: 429,
    meaning:
      'The account or the key has used its requests or tokens of this minute. Try again after `retry-after` seconds.',
  },
  too_many_parallel: {
    status: 429,
    meaning:
      'As many requests of the account or the key wait or run as its limit allows. Try again when one has ended.',
  },
  overloaded: {
    status: 503,
    meaning:
      'Too many requests wait already, or too many uploads are on their way. Try again after `retry-after` seconds.',
  },
  storage_unavailable: {
    status: 503,
    meaning:
      'The database cannot be written to, or uploads cannot: the disk is full, files are gone, or another process keeps them locked. Nothing is charged meanwhile.',
  },
  not_ready: { status: 503, meaning: 'The server runs but has no model that it can serve.' },
}
