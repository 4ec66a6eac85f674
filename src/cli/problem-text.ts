import type { OperationName } from '../operations/operations.ts'
import type { Problem } from '../operations/problem.ts'
import { problemError } from '../operations/problem-words.ts'
import { CommandError, UsageError } from './io.ts'

/** Names of fields on the command line that differ from their flags. */
const fieldNames: Readonly<Record<string, string>> = {
  account: 'an account',
  email: 'the argument email',
  'ledger-credit.amount': 'the amount',
  model: 'a model',
  key: 'a key',
  'vouchers-revoke.id': 'a voucher',
  mail: 'a mail',
  request: "the request's id",
  session: 'a session',
}

/** Next steps by the problem's code or by the kind of missing thing. */
const nextSteps: Readonly<Record<string, string>> = {
  model: "'inferd list' shows the ids",
  'pinned model': "'inferd ps' shows those that are",
  account: "'inferd users list' shows them",
  key: "'inferd keys list' shows their ids",
  voucher: "'inferd vouchers list' shows them",
  mail: "'inferd outbox' shows those that wait",
  session: "'inferd sessions list' shows those of an account",
  'running request': "'inferd requests list' shows those that run",
  team: "'inferd users list --state team' shows them",
  member: 'add it to the team first',
  webhook: "'inferd webhooks' shows them",
  model_busy: '--drain waits for them, --now fails them',
  email_taken: "'inferd users show' shows it",
}

/** Returns a problem as a command's error: UsageError if the command line was wrong. */
export function problemText(name: OperationName, problem: Problem): Error {
  if (problem.code === 'invalid_input') {
    const { field, rule, value } = problem
    const flag = `--${field.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`
    const subject = fieldNames[`${name}.${field}`] ?? fieldNames[field] ?? flag
    return new UsageError(`${subject} ${rule}${value === undefined ? '' : `, not "${value}"`}`)
  }
  const step = nextSteps[problem.code === 'not_found' ? problem.what : problem.code]
  const text = asCommandSays(problemError(problem).message) + (step === undefined ? '' : `; ${step}`)
  return problem.code === 'invalid_email' ? new UsageError(text) : new CommandError(text)
}

/** Returns the sentence in the form that follows "inferd: ". */
function asCommandSays(sentence: string): string {
  return sentence.replace(/^[A-Z](?=[a-z ])/, (letter) => letter.toLowerCase()).replace(/\.$/, '')
}
