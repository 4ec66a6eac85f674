/** Sentences for each problem, the same on a page, from the API and after a command. */
import { ApiError, type ApiErrorDetails, type ErrorKind } from '../core/errors.ts'
import { dollars } from '../core/money.ts'
import type { NamedThing, Problem } from './problem.ts'

type Words = readonly [
  message: string,
  param?: string | undefined,
  kind?: ErrorKind,
  details?: Partial<ApiErrorDetails>,
]

type WordsOf<Code extends Problem['code']> = (problem: Extract<Problem, { readonly code: Code }>) => Words

const missing: Readonly<Partial<Record<NamedThing, (name: string) => string>>> = {
  download: (name) => `No download of ${name} is running.`,
  endpoint: (name) => `The model has no endpoint "${name}"; 'inferd endpoints' lists them.`,
  'pinned model': (name) => `Model "${name}" is not pinned.`,
  voucher: (name) => `There is no voucher "${name}" that could still be redeemed.`,
  'running request': (name) => `Request "${name}" does not run: it has ended, or was never here.`,
  request: (name) =>
    `There is no record of request "${name}": it was refused, is still running, or was not for this server.`,
}

/** Input fields that name a thing under another name. */
const fields: Readonly<Partial<Record<NamedThing, string>>> = {
  download: 'model',
  'pinned model': 'model',
  voucher: 'id',
  member: 'account',
  'running request': 'request',
  setting: 'name',
  backup: 'name',
}

const ofSetupLink = {
  used: 'This link was used before, or a later one has taken its place.',
  expired: 'This link has expired.',
  unknown: 'This link is not complete, or not of this server.',
} as const

const words: { readonly [Code in Problem['code']]: WordsOf<Code> } = {
  invalid_input: ({ field, rule, isMissing = false }) => [
    isMissing ? `'${field}' is required: it ${rule}.` : `'${field}' ${rule}.`,
    field,
    'invalid_request',
    { code: isMissing ? 'missing_required_parameter' : 'invalid_value' },
  ],
  not_found: ({ what, name }) => [
    missing[what]?.(name) ?? `There is no ${what} "${name}".`,
    fields[what] ?? what,
    'not_found',
    { code: `${what.split(' ').at(-1)}_not_found` },
  ],
  no_server: () => ['No server is running here.'],
  no_mail_server: () => ['No mail server is configured: set smtp-host and mail-from.'],
  mail_failed: ({ reason }) => [`The test mail was not sent: ${reason}.`],
  backup_failed: ({ reason }) => [`No backup was made: ${reason}.`],
  backups_unknown: ({ reason }) => [
    `It is not known which backups there are: ${reason}; mount it again, or name another folder.`,
  ],
  backup_unusable: ({ reason }) => [`This backup cannot be restored: ${reason}.`, 'name'],
  backup_not_uploaded: ({ reason }) => [`The backup was not uploaded: ${reason}.`],
  no_restart: () => [
    'inferd was not told that it is started again when it ends: set restart-status, or restart it at its machine.',
  ],
  start_would_fail: ({ reason }) => [`inferd was not restarted, since its next start would fail: ${reason}.`],
  no_restore: () => ['No restore waits for the next start.'],
  settings_changed: ({ path }) => [
    `${path} was changed meanwhile. Look at the settings again, then repeat the change.`,
  ],
  settings_refused: ({ reason, path }) => [`${path} was not changed: ${reason}.`],
  setting_by_hand: ({ name, path }) => [`${name} is only changed in ${path} itself, at the server's machine.`, 'name'],
  not_flushed: ({ reason }) => [
    `The change was made, but a power cut may undo it, since the server cannot bring its database to the disk: ${reason}. Look before you repeat it.`,
    undefined,
    'unavailable',
    { code: 'storage_unavailable' },
  ],
  pull_refused: ({ reason }) => [`${reason}.`, 'source'],
  import_refused: ({ reason }) => [`${reason}.`, 'path'],
  hub_failed: ({ reason }) => [`${reason}.`],
  pull_running: ({ model }) => [`${model} is being downloaded. Wait for it, or cancel the download first.`, 'model'],
  license_not_accepted: ({ model, license, text }) => [
    `${model} asks to accept its licence ${license} (${text}).`,
    'acceptLicense',
  ],
  model_not_removable: ({ model, why }) => [
    `${model} ${why === 'carried' ? 'comes with the program and cannot be removed' : 'has no files on this disk'}.`,
    'model',
  ],
  model_busy: ({ model, running, waiting }) => [
    `${model} has ${running} running request${running === 1 ? '' : 's'} and ${waiting} that wait.`,
  ],
  not_signed_in: () => ['Nobody is signed in here. Sign in at the dashboard.', undefined, 'authentication'],
  invalid_credentials: ({ sendsMail }) => [
    `This address and password do not go together. Without a password, ${sendsMail ? 'ask for a link by mail' : 'ask the operator for a sign-in link'}.`,
    undefined,
    'authentication',
  ],
  invalid_link: () => [
    'This link was used before, has expired, or is not complete. Ask for a new one.',
    undefined,
    'authentication',
  ],
  account_disabled: () => ['This account is disabled. Its operator can enable it again.', undefined, 'authentication'],
  identity_paused: () => [
    'This account waits until you sign in by your organisation again.',
    undefined,
    'authentication',
  ],
  local_sign_in_off: () => [
    'Passwords and mailed links sign nobody in here. Use the sign-in of your organisation.',
    undefined,
    'permission',
  ],
  oidc_expired: () => [
    'This sign-in was begun in another browser, was used before, or took longer than ten minutes. Sign in again.',
    undefined,
    'authentication',
  ],
  oidc_refused: ({ provider, reason }) => [
    `The sign-in by ${provider} failed (${reason}). Sign in again, or ask the operator of this server.`,
    undefined,
    'authentication',
  ],
  oidc_logout_refused: ({ provider, reason }) => [
    `The logout token is not one of ${provider} that counts now (${reason}).`,
    'logout_token',
    'invalid_request',
  ],
  oidc_unavailable: ({ provider, reason }) => [
    `${provider} does not answer as an identity provider (${reason}). Try again later, or sign in by a password.`,
    undefined,
    'unavailable',
  ],
  oidc_email_unverified: ({ provider }) => [
    `${provider} names no mail address that it has verified, so there is no account to sign in to. Verify your address there, or ask the operator of this server.`,
    undefined,
    'permission',
  ],
  oidc_no_group: ({ provider }) => [
    `You are in none of the groups that may use this server. Ask whoever manages ${provider}.`,
    undefined,
    'permission',
  ],
  oidc_groups_missing: ({ provider }) => [
    `${provider} did not say in which groups you are, since they are too many. Its manager can limit the claim to groups of this application.`,
    undefined,
    'permission',
  ],
  oidc_no_account: () => [
    'Your address has an account that this sign-in may not open, or you need one. Sign in to it another way and link the provider on the Account page, or ask the operator of this server.',
    undefined,
    'permission',
  ],
  oidc_taken: ({ provider }) => [`This sign-in of ${provider} opens another account already.`, undefined, 'permission'],
  invalid_setup_link: ({ reason }) => [
    `${ofSetupLink[reason]} 'inferd admin link' on the server's machine makes a new one.`,
    'token',
    'authentication',
    { code: 'invalid_link' },
  ],
  setup_link_needed: () => [
    "This password is chosen by a setup link alone: 'inferd admin link' on the server's machine makes one.",
    undefined,
    'permission',
  ],
  admin_is_off: () => ["The operator's pages are off: start inferd with --admin loopback or --admin network."],
  not_a_member: ({ team }) => [`You are no member of ${team}. Ask an operator to add you.`, 'account', 'permission'],
  team_has_members: ({ team }) => [`${team} has members. Remove them first.`, 'team', 'conflict'],
  not_staff: ({ account }) => [`${account} has no role that signs in this way. Give it one first.`, 'account'],
  not_for_role: ({ role, operation }) => [
    `"${operation}" is not for the role ${role}. Ask an operator.`,
    undefined,
    'permission',
  ],
  own_account: ({ of, rule }) => [
    `This is ${of === 'caller' ? 'your own account' : "the operator's own account"}, which ${rule}.`,
    'account',
    'conflict',
  ],
  account_erased: ({ account }) => [`The person of ${account} was erased for good. Make a new account.`, 'account'],
  requests_running: ({ account, running }) => [
    `${account} has ${running} running request${running === 1 ? '' : 's'}. Wait for them, or cancel them.`,
    'account',
    'conflict',
  ],
  balance_left: ({ account, balanceNanoUsd }) => {
    const left = dollars(balanceNanoUsd)
    return [
      `${account} has ${left} left. Pay it out and book that by a credit of -${left.slice(1)}.`,
      'account',
      'conflict',
    ]
  },
  wrong_password: () => [
    'This is not the current password.',
    'current',
    'invalid_request',
    { code: 'invalid_credentials' },
  ],
  second_factor_needed: () => ['Enter the code that your authenticator app shows.', 'code', 'authentication'],
  wrong_code: () => [
    'This code is wrong or was used before. Wait for the next one; if none is taken, check the clock of the phone.',
    'code',
    'authentication',
  ],
  second_factor_exists: () => ['This account has a second factor. Remove it first.'],
  second_factor_not_offered: () => ['Only staff (operators, treasurers, auditors) have a second factor.'],
  second_factor_required: () => [
    'Staff need a second factor here. Set it up on your Account page at /dashboard/account.',
    undefined,
    'permission',
  ],
  weak_password: ({ field, rule }) => [`'${field}' must ${rule}.`, field],
  invalid_email: ({ email }) => [
    `"${email}" is no mail address such as ada@example.org.`,
    'email',
    'invalid_request',
    { code: 'invalid_value' },
  ],
  email_taken: () => ['This address has an account already. Its owner can sign in at the dashboard.', 'email'],
  disposable_email: ({ domain }) => [`Mail to ${domain} is thrown away. Use a lasting address.`, 'email'],
  no_address: ({ account }) => [`${account} has no mail address, by which links sign in.`, 'account'],
  signup_closed: () => ['This server takes no signups. Ask its operator for an account.', undefined, 'permission'],
  signup_limit: ({ of, maximum, retryAfterSeconds }) => [
    `There were ${maximum} ${of === 'tries' ? 'tries to sign up' : 'signups'} from this network today. Try again tomorrow (UTC).`,
    undefined,
    'rate_limit',
    { retryAfterSeconds },
  ],
  too_many_attempts: ({ retryAfterSeconds, hasOtherWay }) => {
    const otherWay = ", or sign in by a link; an operator by one of 'inferd admin link'"
    return [
      `Too many attempts. Try again in ${waitText(retryAfterSeconds)}${hasOtherWay ? otherWay : ''}.`,
      undefined,
      'rate_limit',
      { retryAfterSeconds },
    ]
  },
  too_many_changes: ({ retryAfterSeconds }) => [
    `This account has changed too much in a short time. Try again in ${waitText(retryAfterSeconds)}.`,
    undefined,
    'rate_limit',
    { retryAfterSeconds },
  ],
  too_many_new_keys: ({ maximum, retryAfterSeconds }) => [
    `An account gets at most ${maximum} new keys a day. Try again in ${waitText(retryAfterSeconds)}.`,
    undefined,
    'rate_limit',
    { retryAfterSeconds },
  ],
  too_many_keys: ({ maximum }) => [`An account has at most ${maximum} keys. Revoke one first.`],
  playground_key: () => ['This is the key of the playground. It has no secret, so there is nothing to revoke.', 'key'],
  exceeds_balance: ({ account, balanceNanoUsd, heldNanoUsd }) => {
    const held = heldNanoUsd === 0 ? '' : ` of which requests hold ${dollars(heldNanoUsd)}`
    const available = dollars(balanceNanoUsd - heldNanoUsd)
    return [`${account} has ${dollars(balanceNanoUsd)}${held}: at most ${available} can be taken away.`, 'amount']
  },
  exceeds_maximum_balance: ({ maximumNanoUsd }) => [
    `No account may have more than ${dollars(maximumNanoUsd)}.`,
    'amount',
  ],
  idempotency_key_reused: ({ what }) => [
    what === 'credit'
      ? 'The idempotency key names another credit: of another account, amount or memo.'
      : 'The idempotency key names other vouchers: of another amount, count, expiry or memo.',
    'idempotencyKey',
  ],
  voucher_unknown: () => ['There is no such voucher. Check that the code was typed whole.', 'code'],
  voucher_expired: () => ['This voucher has expired.', 'code'],
  voucher_revoked: () => ['This voucher was withdrawn by the operator.', 'code'],
  voucher_used: ({ isOwn }) => {
    const own = isOwn ? ' It was you: the amount is in your balance.' : ''
    return [`This voucher was redeemed before.${own}`, 'code']
  },
  voucher_over_limit: () => [
    'With this voucher the balance would be more than an account may have. Use some of it first.',
    'code',
  ],
}

/** Returns `1 minute`, `90 minutes` or `3 hours`. */
function waitText(seconds: number): string {
  const minutes = Math.ceil(seconds / 60)
  if (minutes >= 120) return `${Math.ceil(minutes / 60)} hours`
  return `${minutes} minute${minutes === 1 ? '' : 's'}`
}

/** Returns the problem as an error for the caller. Its code is the problem's, unless the API names another. */
export function problemError(problem: Problem): ApiError {
  // The type checker does not know that `words` has a function for exactly this code's problem.
  const wordsFor = words[problem.code] as (problem: Problem) => Words
  const [message, param, kind = 'invalid_request', details = {}] = wordsFor(problem)
  return new ApiError(kind, message, { code: problem.code, param, ...details })
}
