import type { Static, TObject } from '@sinclair/typebox'
import { UnflushedError } from '../core/errors.ts'
import type { StaffRole } from '../core/roles.ts'
import { UnknownRowError } from '../db/rows.ts'
import { countAccounts, createAccount, listAccounts, setDisabled, setUnmetered, showAccount } from './accounts.ts'
import { backupStatus, listBackups, makeBackup, openBackup } from './backups.ts'
import { credit } from './credit.ts'
import { findOnDisk, importModel } from './disk-models.ts'
import { drainEndpoint, listEndpoints, resumeEndpoint } from './endpoints.ts'
import { probeGpu, reportGpu } from './gpu.ts'
import { listHubFiles, searchHub, showHub } from './hub.ts'
import { listIdentities, unlinkIdentity } from './identities.ts'
import { createKey, ensurePlaygroundKey, listKeys, renameKey, revokeKey } from './keys.ts'
import {
  acceptLicense,
  cancelPull,
  listLicenses,
  listModels,
  previewPull,
  pullModel,
  removeModel,
  showModel,
} from './library.ts'
import { setLimits, showLimits } from './limits.ts'
import { listModelSettings, setModelSettings, showModelSettings } from './model-settings.ts'
import {
  listLoadingModels,
  loadModel,
  modelsStatus,
  pinModel,
  restartEngine,
  unloadModel,
  unpinModel,
} from './models.ts'
import { type Caller, type CallerKind, checkInput, type Operation, type OperationServices } from './operation.ts'
import { listMails, mailStatus, openMail, retryMail, testMail } from './outbox.ts'
import { listBalanceDays, listStatement, renameOwnAccount, showOwnAccount, sumStatement } from './own-account.ts'
import { eraseAccount, exportAccount, exportAccountRows } from './personal-data.ts'
import { listPrices, setPrices, tryPrices } from './prices.ts'
import { OperationError } from './problem.ts'
import { endByProvider, signInByProvider } from './provider-sessions.ts'
import {
  checkBooks,
  exportAudit,
  listAudit,
  listLastUses,
  listLedger,
  listUsage,
  reportUsage,
  showReceipt,
  sumBooks,
  verifyAudit,
} from './reports.ts'
import { cancelRequest, listRequests } from './requests.ts'
import { addUploadedBackup, cancelRestore, checkBackup, removeUploadedBackup, restoreBackup } from './restores.ts'
import { beginSecondFactor, confirmSecondFactor, removeSecondFactor, removeSecondFactorOf } from './second-factor.ts'
import { listSettings, setSettings, unsetSettings } from './server-settings.ts'
import { endSessions, listSessions } from './session-list.ts'
import { makeSignInLink, sendSignInLink, signIn, signInByLink, signOut } from './sessions.ts'
import { checkConfirmation, confirmAddress, resendConfirmation, setPassword } from './settings.ts'
import { signUp } from './sign-up.ts'
import { makeSetupLink, setRole, setUp } from './staff.ts'
import { latestDiagnosis, restartServer, runDoctor, tailLog, writeDiagnosis } from './system.ts'
import { addToTeam, createTeam, deleteTeam, listOwnTeams, removeFromTeam, showTeam } from './teams.ts'
import { createVouchers, listVouchers, redeemVoucher, revokeVoucher } from './vouchers.ts'
import { checkReceivers, listWebhooks, testWebhook } from './webhooks.ts'

/** All operations on accounts, keys, money, models and the server, by name. */
export const operations = {
  'accounts-list': listAccounts,
  'accounts-count': countAccounts,
  'accounts-show': showAccount,
  'accounts-show-own': showOwnAccount,
  'accounts-rename-own': renameOwnAccount,
  'accounts-create': createAccount,
  'accounts-set-unmetered': setUnmetered,
  'accounts-set-disabled': setDisabled,
  'accounts-set-role': setRole,
  'accounts-remove-second-factor': removeSecondFactorOf,
  'accounts-export': exportAccount,
  'accounts-export-rows': exportAccountRows,
  'accounts-erase': eraseAccount,
  'accounts-sign-in-link': makeSignInLink,
  'accounts-sign-up': signUp,
  'accounts-check-confirmation': checkConfirmation,
  'accounts-confirm': confirmAddress,
  'accounts-resend-confirmation': resendConfirmation,
  'accounts-set-password': setPassword,
  'second-factor-begin': beginSecondFactor,
  'second-factor-confirm': confirmSecondFactor,
  'second-factor-remove': removeSecondFactor,
  'sessions-begin': signIn,
  'sessions-begin-by-link': signInByLink,
  'sessions-send-link': sendSignInLink,
  'sessions-begin-by-oidc': signInByProvider,
  'sessions-end-by-oidc': endByProvider,
  'identities-list': listIdentities,
  'identities-unlink': unlinkIdentity,
  'sessions-sign-out': signOut,
  'sessions-list': listSessions,
  'sessions-end': endSessions,
  'admin-link': makeSetupLink,
  'admin-setup': setUp,
  'keys-create': createKey,
  'keys-list': listKeys,
  'keys-rename': renameKey,
  'keys-revoke': revokeKey,
  'keys-ensure-playground': ensurePlaygroundKey,
  'limits-set': setLimits,
  'limits-show': showLimits,
  'teams-create': createTeam,
  'teams-add': addToTeam,
  'teams-remove': removeFromTeam,
  'teams-show': showTeam,
  'teams-list-own': listOwnTeams,
  'teams-delete': deleteTeam,
  'vouchers-create': createVouchers,
  'vouchers-list': listVouchers,
  'vouchers-revoke': revokeVoucher,
  'vouchers-redeem': redeemVoucher,
  'ledger-credit': credit,
  'ledger-list': listLedger,
  'statement-list': listStatement,
  'statement-sum': sumStatement,
  'statement-days': listBalanceDays,
  'usage-list': listUsage,
  'usage-report': reportUsage,
  'usage-receipt': showReceipt,
  'usage-last': listLastUses,
  'requests-list': listRequests,
  'requests-cancel': cancelRequest,
  'models-load': loadModel,
  'models-unload': unloadModel,
  'models-pin': pinModel,
  'models-unpin': unpinModel,
  'engines-restart': restartEngine,
  'models-status': modelsStatus,
  'models-loading': listLoadingModels,
  'endpoints-list': listEndpoints,
  'endpoints-drain': drainEndpoint,
  'endpoints-resume': resumeEndpoint,
  'models-list': listModels,
  'models-show': showModel,
  'models-pull': pullModel,
  'models-pull-cancel': cancelPull,
  'models-pull-preview': previewPull,
  'models-remove': removeModel,
  'models-find': findOnDisk,
  'models-import': importModel,
  'hub-show': showHub,
  'hub-search': searchHub,
  'hub-files': listHubFiles,
  'outbox-list': listMails,
  'outbox-open': openMail,
  'outbox-retry': retryMail,
  'mail-status': mailStatus,
  'mail-test': testMail,
  'receivers-check': checkReceivers,
  'webhooks-list': listWebhooks,
  'webhooks-test': testWebhook,
  'settings-list': listSettings,
  'settings-set': setSettings,
  'settings-unset': unsetSettings,
  'model-settings-list': listModelSettings,
  'model-settings-show': showModelSettings,
  'model-settings-set': setModelSettings,
  'prices-list': listPrices,
  'prices-set': setPrices,
  'prices-try': tryPrices,
  'server-restart': restartServer,
  'logs-tail': tailLog,
  backup: makeBackup,
  'backup-status': backupStatus,
  'backups-list': listBackups,
  'backups-open': openBackup,
  'backups-add-upload': addUploadedBackup,
  'backups-remove': removeUploadedBackup,
  'backups-check': checkBackup,
  'backups-restore': restoreBackup,
  'backups-cancel-restore': cancelRestore,
  doctor: runDoctor,
  'doctor-latest': latestDiagnosis,
  diagnosis: writeDiagnosis,
  'gpu-report': reportGpu,
  'gpu-probe': probeGpu,
  'licenses-accept': acceptLicense,
  'licenses-list': listLicenses,
  'audit-list': listAudit,
  'audit-export': exportAudit,
  'audit-verify': verifyAudit,
  'books-check': checkBooks,
  'books-sums': sumBooks,
}

export type OperationName = keyof typeof operations

/** Input of an operation. Optional fields may also be undefined. */
export type OperationInput<Name extends OperationName> = Loose<Static<(typeof operations)[Name]['input']>>

export type OperationResult<Name extends OperationName> = ReturnType<(typeof operations)[Name]['run']>

type Loose<Fields> = {
  readonly [Key in keyof Fields]: Fields[Key] | (object extends Pick<Fields, Key> ? undefined : never)
}

/** Names of the operations that a kind of caller may perform. */
export type OperationNameFor<Kind extends CallerKind> = {
  [Name in OperationName]: Kind extends (typeof operations)[Name]['callers'][number] ? Name : never
}[OperationName]

type Input = Record<string, unknown>

export function isOperation(name: string): name is OperationName {
  return Object.hasOwn(operations, name)
}

/** Returns whether a caller of this kind may perform the operation. */
export function isFor(callerKind: CallerKind, name: OperationName): boolean {
  return anyOperation(name).callers.includes(callerKind)
}

/** Returns whether staff with this role may perform the operation. */
export function isForRole(role: StaffRole, name: OperationName): boolean {
  const { callers, roles = ['operator'] } = anyOperation(name)
  return callers.includes('operator') && roles.includes(role)
}

/** Operations of a role, with the fields of the input that it may give. `all`: every field. */
export type OperationsOfRole = { readonly [Name in OperationName]?: 'all' | readonly string[] }

/** Returns the operations that staff with this role may perform on their pages. */
export function operationsOf(role: StaffRole): OperationsOfRole {
  const names = (Object.keys(operations) as OperationName[]).filter((name) => isForRole(role, name))
  return Object.fromEntries(names.map((name) => [name, anyOperation(name).fieldsOf?.[role] ?? 'all']))
}

/** Returns whether a command passes the operation to the running server, if there is one. */
export function isDoneByServer(name: OperationName): boolean {
  const { kind, asksServer = false } = anyOperation(name)
  return kind === 'write' || asksServer
}

/** Returns the operation without its specific types. `checkOperation` checks caller and input. */
function anyOperation(name: OperationName) {
  return operations[name] as unknown as Operation<CallerKind, TObject, unknown, unknown>
}

/**
 * Performs an operation in one transaction. Its writes are durable when this resolves. Rejects with OperationError, with
 * ApiError if the server cannot serve it now, or with a database error.
 */
export async function perform(
  services: OperationServices,
  caller: Caller,
  { name, input }: { readonly name: OperationName; readonly input: unknown },
): Promise<unknown> {
  const { kind, putsMail = false, changeLimit, prepare, afterwards, undo } = anyOperation(name)
  requireRole(caller, name, input)
  const checked = checkOperation(name, caller.kind, input)
  // Only the command line has no account, since it belongs to the machine's owner.
  if (kind === 'write' && changeLimit !== 'own' && 'accountId' in caller && caller.accountId !== undefined)
    services.limits.writes.take(caller.accountId, changeLimit)
  // Some prepare by an effect outside the database, which an ended session must not have.
  if (prepare !== undefined) requireSession(services, caller)
  const prepared = await prepare?.({ ...services, caller }, checked)
  const work = () => run(services, caller, { name, input: checked, prepared })
  if (kind === 'read') return services.stores.read(work)
  const result = await services.stores.commits.run(work).catch((error: unknown) => {
    // The change was made, so listeners are notified. The caller must check it before a repeat.
    if (error instanceof UnflushedError) return new OperationError({ code: 'not_flushed', reason: error.message })
    undo?.({ ...services, caller })
    throw error
  })
  if (putsMail) services.mails.wake()
  services.onWritten?.()
  if (result instanceof OperationError) throw result
  afterwards?.({ ...services, caller })
  return result
}

/** Returns the checked input. Throws OperationError, or an Error if the caller's kind may not perform it. */
export function checkOperation(name: OperationName, callerKind: CallerKind, input: unknown): Input {
  if (!isFor(callerKind, name)) throw new Error(`operation "${name}" is not for callers of kind "${callerKind}"`)
  return checkInput(operations[name].input, input)
}

/**
 * Requires a session that is still valid, since it may have ended while the request was read. Throws OperationError.
 */
function requireSession({ stores }: OperationServices, caller: Caller): void {
  if (caller.kind === 'anybody' || caller.session === undefined) return
  const session = stores.sessions.find(caller.session)
  const hasRights = caller.kind === 'account' || session?.role === roleOf(caller)
  if (!hasRights || session?.accountId !== caller.accountId) throw new OperationError({ code: 'not_signed_in' })
}

/** Throws OperationError unless the operation, with these fields, is for the role of staff. */
function requireRole(caller: Caller, name: OperationName, input: unknown): void {
  // `checkOperation` refuses operations that are for no operator.
  if (caller.kind !== 'operator' || !isFor('operator', name)) return
  const fields: readonly PropertyKey[] | undefined = anyOperation(name).fieldsOf?.[roleOf(caller)]
  const isAllowed = fields === undefined || Object.keys(Object(input)).every((field) => fields.includes(field))
  if (isAllowed && isForRole(roleOf(caller), name)) return
  throw new OperationError({ code: 'not_for_role', role: roleOf(caller), operation: name })
}

function roleOf({ role = 'operator' }: Extract<Caller, { readonly kind: 'operator' }>): StaffRole {
  return role
}

/** Runs an operation with checked input, within a transaction. Throws OperationError. */
function run(
  services: OperationServices,
  caller: Caller,
  { name, input, prepared }: { readonly name: OperationName; readonly input: Input; readonly prepared: unknown },
): unknown {
  requireSession(services, caller)
  try {
    return anyOperation(name).run({ ...services, caller }, input, prepared)
  } catch (error) {
    if (!(error instanceof UnknownRowError)) throw error
    const rule = 'must be the id of a row of the list'
    throw new OperationError({ code: 'invalid_input', field: 'before', rule, value: error.id })
  }
}
