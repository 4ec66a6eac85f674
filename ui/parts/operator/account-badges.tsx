import type { OperationJson } from '../../../src/operations/money-text.ts'
import { texts } from '../../texts/operator-texts.ts'

interface AccountBadgesProps {
  readonly account: Pick<
    OperationJson<'accounts-show'>['account'],
    'email' | 'confirmedMs' | 'disabledMs' | 'isUnmetered' | 'isOperator'
  >
}

/** Shows an account's unusual states as badges. */
export function AccountBadges({ account }: AccountBadgesProps) {
  const { email, confirmedMs, disabledMs, isUnmetered, isOperator } = account
  const { badges } = texts.accounts
  const shown = [
    ...(disabledMs === null ? [] : [['bad', badges.disabled] as const]),
    ...(confirmedMs === null && email !== null ? [['warn', badges.unconfirmed] as const] : []),
    ...(isOperator ? [['', badges.operator] as const] : []),
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
