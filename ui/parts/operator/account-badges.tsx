import type { OperationJson } from '../../../src/operations/money-text.ts'
import { texts } from '../../texts/operator-texts.ts'

interface AccountBadgesProps {
  readonly account: Pick<
    OperationJson<'accounts-show'>['account'],
    'kind' | 'email' | 'erasedMs' | 'confirmedMs' | 'disabledMs' | 'isUnmetered' | 'role'
  >
}

/** Shows an account's unusual states as badges. */
export function AccountBadges({ account }: AccountBadgesProps) {
  const { kind, email, erasedMs, confirmedMs, disabledMs, isUnmetered, role } = account
  const { badges } = texts.accounts
  const shown = [
    ...(erasedMs === null ? [] : [['bad', badges.erased] as const]),
    ...(disabledMs === null || erasedMs !== null ? [] : [['bad', badges.disabled] as const]),
    ...(confirmedMs === null && email !== null ? [['warn', badges.unconfirmed] as const] : []),
    ...(kind === 'team' ? [['', badges.team] as const] : []),
    ...(role === 'member' ? [] : [['', texts.roles[role]] as const]),
    ...(isUnmetered ? [['', badges.unmetered] as const] : []),
  ]
  if (shown.length === 0) return null
  return (
    <span class="row">
      {shown.map(([color, word]) => (
        <span key={word} class={`badge ${color}`}>
          {word}
        </span>
      ))}
    </span>
  )
}
