import { decimalsOf, moneyText } from './money-text.ts'

/** An amount, given as exact decimal USD. */
export function Money({ usd }: { readonly usd: string }) {
  const { text, exact } = moneyText(usd)
  return (
    <span class="money" title={exact}>
      {text}
    </span>
  )
}

/** An amount with all its digits, however small it is. */
export function ExactMoney({ usd }: { readonly usd: string }) {
  const { text, exact = text } = moneyText(usd)
  return <span class="money">{exact}</span>
}

interface AlignedMoneyProps {
  readonly usd: string
  /** Of the amount in the column that has the most decimals: all of them keep room for so many. */
  readonly decimals: number
  /** What comes in is marked by a plus. */
  readonly isChange: boolean
}

/** An amount in a column: the points stand one below the other. Its text stays one, for screen readers. */
export function AlignedMoney({ usd, decimals, isChange }: AlignedMoneyProps) {
  const { text, exact } = moneyText(usd)
  const own = decimalsOf(usd)
  const plus = isChange && /^\$.*[1-9]/.test(text) ? '+' : ''
  // A point is about half as wide as a digit.
  const missing = decimals - own + (own === 0 && decimals > 0 ? 0.5 : 0)
  return (
    <span class="money aligned" style={{ '--missing': missing }} title={exact}>
      {plus + text}
    </span>
  )
}
