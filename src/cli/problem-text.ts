import type { OperationName } from '../operations/operations.ts'
import { type NamedThing, type Problem, type ProblemWords, wordsOf } from '../operations/problem.ts'
import { count, dollars } from './format.ts'
import { CommandError, UsageError } from './io.ts'

/** What a field is called on the command line, where that is not its own name as a flag. */
const fieldNames: Readonly<Record<string, string>> = {
  account: 'an account',
  email: 'an account',
  'ledger-credit.amount': 'the amount',
  model: 'a model',
  key: 'a key',
  'vouchers-revoke.id': 'a voucher',
  mail: 'a mail',
  request: "the request's id",
}

const missing: Readonly<Record<NamedThing, (name: string) => string>> = {
  download: (name) => `no download of ${name} is running`,
  model: (name) => `there is no model "${name}"; 'inferd list' shows the ids`,
  'pinned model': (name) => `model "${name}" is not pinned; 'inferd ps' shows those that are`,
  account: (name) => `there is no account "${name}"; 'inferd users list' shows them`,
  key: (name) => `there is no key "${name}"; 'inferd keys list' shows their ids`,
  voucher: (name) => `there is no voucher "${name}" that could still be redeemed; 'inferd vouchers list' shows them`,
  mail: (name) => `there is no mail "${name}"; 'inferd outbox' shows those that wait`,
  request: (name) =>
    `there is no record of request "${name}": it was refused, is still running, or was not for this server`,
}

const words: ProblemWords<Error> = {
  invalid_email: ({ email }) => new UsageError(`"${email}" is no mail address such as ada@example.org`),
  not_found: ({ what, name }) => new CommandError(missing[what](name)),
  no_server: () => new CommandError("no server is running here; 'inferd serve' starts one"),
  no_mail_server: () => new CommandError('no mail server is configured: set smtp-host and mail-from'),
  mail_failed: ({ reason }) => new CommandError(`the test mail was not sent: ${reason}`),
  pull_refused: ({ reason }) => new CommandError(reason),
  pull_running: ({ model }) => new CommandError(`another process downloads ${model}; wait for it, or end it first`),
  license_not_accepted: ({ model, license, text }) =>
    new CommandError(`${model} asks to accept its licence ${license} (${text})`),
  model_not_removable: ({ model, why }) =>
    new CommandError(
      why === 'carried'
        ? `${model} comes with the program and cannot be removed`
        : `${model} has no files on this disk`,
    ),
  model_busy: ({ model, running, waiting }) =>
    new CommandError(
      `${model} has ${count(running, 'running request')} and ${waiting} that wait: --drain waits for them, --now fails them`,
    ),
  email_taken: ({ email }) => new CommandError(`${email} has an account already; 'inferd users show' shows it`),
  operator_is_unmetered: () => new CommandError("this is the operator's own account, which stays unmetered"),
  too_many_keys: ({ maximum }) => new CommandError(`An account has at most ${maximum} keys. Revoke one first.`),
  exceeds_balance: ({ account, balanceNanoUsd, heldNanoUsd }) => {
    const held = heldNanoUsd === 0 ? '' : ` of which requests hold ${dollars(heldNanoUsd)}`
    const available = dollars(balanceNanoUsd - heldNanoUsd)
    return new CommandError(`${account} has ${dollars(balanceNanoUsd)}${held}: at most ${available} can be taken away`)
  },
  idempotency_key_reused: ({ key }) =>
    new CommandError(`the idempotency key "${key}" names another credit: of another account, amount or memo`),
  exceeds_maximum_balance: ({ maximumNanoUsd }) =>
    new CommandError(`no account may have more than ${dollars(maximumNanoUsd)}`),
}

/** What a command says about a problem: a UsageError where the words of the command line were wrong. */
export function problemError(name: OperationName, problem: Problem): Error {
  if (problem.code === 'invalid_input') {
    const { field, rule, value } = problem
    const flag = `--${field.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`
    const subject = fieldNames[`${name}.${field}`] ?? fieldNames[field] ?? flag
    return new UsageError(`${subject} ${rule}${value === undefined ? '' : `, not "${value}"`}`)
  }
  return wordsOf(words, problem) ?? new CommandError(`${name} is not possible: ${problem.code}`)
}
