import type { GroupCommit } from '../db/group-commit.ts'
import type { AccountStore } from './accounts.ts'
import type { MailTokens } from './mail-tokens.ts'

export interface ConfirmOptions {
  readonly accounts: AccountStore
  readonly mailTokens: MailTokens
  readonly commits: GroupCommit
  readonly starterCreditNanoUsd: number
}

/** `confirmed`: just now, and the starter credit with it; `already`: by this link or another one before. */
export type Confirmation = 'confirmed' | 'already' | 'expired' | 'unknown'

/** Uses the link of a confirmation mail: whoever opens it has shown that the address is theirs. Durable when it resolves. */
export function confirmAddress(options: ConfirmOptions, token: string): Promise<Confirmation> {
  const { accounts, mailTokens, commits, starterCreditNanoUsd } = options
  return commits.run(() => {
    const verdict = mailTokens.consume(token, 'confirm')
    if (verdict.kind === 'used') return 'already'
    if (verdict.kind !== 'ok') return verdict.kind
    return accounts.confirm(verdict.accountId, starterCreditNanoUsd) ? 'confirmed' : 'already'
  })
}
