import { decimalsOf, moneyText } from './money-text.ts'

/** Shows an amount given as exact decimal USD. */
export function Money({ usd }: { readonly usd: string }) {
  const { text, exact } = moneyText(usd)
  return (
    <span class="money" title={exact}>
      {text}
    </span>
  )
}

/** Shows an amount with all its digits. */
export function ExactMoney({ usd }: { readonly usd: string }) {
  const { text, exact = text } = moneyText(usd)
  return <span class="money">{exact}</span>
}

interface AlignedMoneyProps {
  readonly usd: string
  /** Most decimals of any amount in the column, for which each cell keeps room. */
  readonly decimals: number
  /** True to mark positive amounts with a plus sign. */
  readonly isChange: boolean
}

/** Shows an amount in a column with aligned decimal points. The text stays in one node for screen readers. */
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
