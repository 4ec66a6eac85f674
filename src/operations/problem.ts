import type { ProviderProblem } from '../accounts/oidc/provider-error.ts'
import type { StaffRole } from '../core/roles.ts'

/** Reason why an operation was not performed: a code and the facts. `problem-words.ts` has the words for people. */
export type Problem =
  /** `rule` completes a sentence that begins with the field's name. `value` is included if it helps. */
  | {
      readonly code: 'invalid_input'
      readonly field: string
      readonly rule: string
      readonly value?: string
      readonly isMissing?: boolean
    }
  | { readonly code: 'not_found'; readonly what: NamedThing; readonly name: string }
  /** The operation needs a running server. */
  | { readonly code: 'no_server' }
  | { readonly code: 'no_mail_server' }
  /** `reason`: the mail server's reply. */
  | { readonly code: 'mail_failed'; readonly reason: string }
  | { readonly code: 'model_busy'; readonly model: string; readonly running: number; readonly waiting: number }
  | {
      readonly code: 'backup_failed' | 'backups_unknown' | 'backup_unusable' | 'backup_not_uploaded'
      readonly reason: string
    }
  /** Nobody is known to start the server again. */
  | { readonly code: 'no_restart' }
  /** The next start would fail. */
  | { readonly code: 'start_would_fail'; readonly reason: string }
  /** No restore waits for the next start. */
  | { readonly code: 'no_restore' }
  /** The settings file was changed since the caller read it. */
  | { readonly code: 'settings_changed'; readonly path: string }
  /** The next start would refuse the settings, or the file cannot be written. */
  | { readonly code: 'settings_refused'; readonly path: string; readonly reason: string }
  /** The setting is only changed in the file itself. */
  | { readonly code: 'setting_by_hand'; readonly name: string; readonly path: string }
  /** The change was made, but may not be on the disk. `reason`: as in `StorageError`. */
  | { readonly code: 'not_flushed'; readonly reason: string }
  /** The source, the disk or the memory prevents the download, so nothing was started. */
  | { readonly code: 'pull_refused'; readonly why: 'source' | 'disk' | 'memory'; readonly reason: string }
  /** The hub gave no answer. `unreachable`: none came at all, as without a network. */
  | { readonly code: 'hub_failed'; readonly why: 'unreachable' | 'refused'; readonly reason: string }
  /** The path holds no model, or it is not taken. */
  | { readonly code: 'import_refused'; readonly reason: string }
  /** A download of the model is running. */
  | { readonly code: 'pull_running'; readonly model: string }
  /** The licence binds who serves the model and was not accepted yet. `text`: address of the licence, else its name. */
  | { readonly code: 'license_not_accepted'; readonly model: string; readonly license: string; readonly text: string }
  | { readonly code: 'model_not_removable'; readonly model: string; readonly why: 'carried' | 'not-here' }
  | { readonly code: 'not_signed_in' }
  | { readonly code: 'invalid_email'; readonly email: string }
  | { readonly code: 'email_taken'; readonly email: string }
  | { readonly code: 'disposable_email'; readonly domain: string }
  /** `rule` completes "password must …". */
  | { readonly code: 'weak_password'; readonly field: string; readonly rule: string }
  | { readonly code: 'wrong_password' }
  /** The password is right, and a code of the second factor is missing. */
  | { readonly code: 'second_factor_needed' }
  /** The code of the second factor is wrong, or was used before. */
  | { readonly code: 'wrong_code' }
  | { readonly code: 'second_factor_exists' | 'second_factor_not_offered' }
  /** The session would have rights of staff, but began without the second factor that they need. */
  | { readonly code: 'second_factor_required' }
  | { readonly code: 'invalid_credentials'; readonly sendsMail: boolean }
  | { readonly code: 'invalid_link' }
  | { readonly code: 'account_disabled' | 'identity_paused' | 'local_sign_in_off' }
  | ProviderProblem
  /** Reasons why a person whom a provider knows is not signed in. `provider`: its label. */
  | {
      readonly code:
        | 'oidc_email_unverified'
        | 'oidc_no_group'
        | 'oidc_groups_missing'
        | 'oidc_no_account'
        | 'oidc_taken'
      readonly provider: string
    }
  | { readonly code: 'signup_closed' }
  /** `of`: signups that made an account, or tries that made none. */
  | {
      readonly code: 'signup_limit'
      readonly of: 'accounts' | 'tries'
      readonly maximum: number
      readonly retryAfterSeconds: number
    }
  /** `hasOtherWay`: a mailed link still works. */
  | { readonly code: 'too_many_attempts'; readonly retryAfterSeconds: number; readonly hasOtherWay: boolean }
  /** The account made too many changes, of any kind. */
  | { readonly code: 'too_many_changes'; readonly retryAfterSeconds: number }
  | { readonly code: 'too_many_keys'; readonly maximum: number }
  | { readonly code: 'too_many_new_keys'; readonly maximum: number; readonly retryAfterSeconds: number }
  /**
   * The operation does not apply to the operator's own account, or to the account that asks for it. `rule` completes
   * "…, which …".
   */
  | { readonly code: 'own_account'; readonly of?: 'caller'; readonly rule: string }
  /** Staff of this role may not do this. */
  | { readonly code: 'not_for_role'; readonly role: StaffRole; readonly operation: string }
  /** The caller is no member of the team. */
  | { readonly code: 'not_a_member' | 'team_has_members'; readonly team: string }
  | { readonly code: 'not_staff' | 'no_address'; readonly account: string }
  /** The person of the account was erased for good. */
  | { readonly code: 'account_erased'; readonly account: string }
  | { readonly code: 'requests_running'; readonly account: string; readonly running: number }
  | { readonly code: 'balance_left'; readonly account: string; readonly balanceNanoUsd: number }
  | { readonly code: 'invalid_setup_link'; readonly reason: 'used' | 'expired' | 'unknown' }
  /** An operator's password is not set through a mailbox, but by a setup link. */
  | { readonly code: 'setup_link_needed' }
  | { readonly code: 'admin_is_off' }
  /** The key cannot be revoked: it has no secret that could leak, and the playground needs it. */
  | { readonly code: 'playground_key' }
  | {
      readonly code: 'exceeds_balance'
      readonly account: string
      readonly balanceNanoUsd: number
      readonly heldNanoUsd: number
    }
  | { readonly code: 'exceeds_maximum_balance'; readonly maximumNanoUsd: number }
  /** The key belongs to an earlier, different operation. Messages omit it, because a voucher's key is a secret. */
  | { readonly code: 'idempotency_key_reused'; readonly what: 'credit' | 'vouchers' }
  /** `isOwn`: this account redeemed it before. */
  | { readonly code: 'voucher_used'; readonly isOwn: boolean }
  | { readonly code: 'voucher_unknown' | 'voucher_expired' | 'voucher_revoked' | 'voucher_over_limit' }

export type NamedThing =
  | 'model'
  | 'pinned model'
  | 'endpoint'
  | 'download'
  | 'account'
  | 'team'
  | 'member'
  | 'key'
  | 'voucher'
  | 'mail'
  | 'request'
  | 'running request'
  | 'session'
  | 'identity provider'
  | 'setting'
  | 'backup'
  | 'webhook'

export class OperationError extends Error {
  override name = 'OperationError'
  readonly problem: Problem

  constructor(problem: Problem) {
    super(problem.code)
    this.problem = problem
  }
}
