import type { OperationJson } from '../../../src/operations/money-text.ts'
import { texts } from '../../texts/operator-texts.ts'

interface AccountBadgesProps {
  readonly account: Pick<
    OperationJson<'accounts-show'>['account'],
    'email' | 'erasedMs' | 'confirmedMs' | 'disabledMs' | 'isUnmetered' | 'role'
  >
}

/** Shows an account's unusual states as badges. */
export function AccountBadges({ account }: AccountBadgesProps) {
  const { email, erasedMs, confirmedMs, disabledMs, isUnmetered, role } = account
  const { badges } = texts.accounts
  const shown = [
    ...(erasedMs === null ? [] : [['bad', badges.erased] as const]),
    ...(disabledMs === null || erasedMs !== null ? [] : [['bad', badges.disabled] as const]),
    ...(confirmedMs === null && email !== null ? [['warn', badges.unconfirmed] as const] : []),
    ...(role === 'member' ? [] : [['', texts.roles[role]] as const]),
    ...(isUnmetered ? [['', badges.unmetered] as const] : []),
  ]
  if (shown.length === 0) return null
  return (
    <span class="row">
      {shown.map(([kind, word]) => (
        <span key={word} class={`badge ${kind}`}>
          {word}
        </span>
      ))}
    </span>
  )
}
