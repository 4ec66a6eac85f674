import { moneyText } from './money-text.ts'

/** An amount, given as exact decimal USD. */
export function Money({ usd }: { readonly usd: string }) {
  const { text, exact } = moneyText(usd)
  return (
    <span class="money" title={exact}>
      {text}
    </span>
  )
}
