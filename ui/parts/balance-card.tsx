import type { ComponentChildren } from 'preact'
import { type Me, me } from '../api/session.ts'
import { texts } from '../texts/texts.ts'
import { ExactMoney, Money } from './money.tsx'
import { moneyText } from './money-text.ts'
import { pendingCredit } from './play/pending-credit.ts'

/** Shows the balance, the part that requests hold, and how long the rest lasts. `children` follow below. */
export function BalanceCard({ children }: { readonly children?: ComponentChildren }) {
  const own = me.value
  if (own === undefined) return null
  return (
    <section class="card balance-card">
      <h2>{texts.billing.balance}</h2>
      {own.isUnmetered ? (
        <p>{texts.billing.unmetered}</p>
      ) : (
        <>
          <p class="amount">
            <Money usd={own.balanceUsd} />
          </p>
          {isTiny(own.balanceUsd) && (
            <p class="muted">
              {texts.billing.exactly} <ExactMoney usd={own.balanceUsd} />
            </p>
          )}
          {own.runningRequests > 0 && (
            <p>
              <Money usd={own.heldUsd} />
              {texts.billing.held(own.runningRequests)}
            </p>
          )}
          <p class={isLow(own) ? 'warn' : 'muted'}>{lastingText(own)}</p>
        </>
      )}
      {children}
    </section>
  )
}

/** Returns whether an amount is too small for the shown digits. */
function isTiny(usd: string): boolean {
  return moneyText(usd).text.startsWith('<')
}

const lowDays = 3

function isLow(own: Me): boolean {
  return isEmpty(own) || (own.daysLeft !== null && own.daysLeft < lowDays)
}

/** Returns whether the balance is used up. Only the number's sign counts. */
function isEmpty({ balanceUsd }: Me): boolean {
  return Number(balanceUsd) <= 0
}

/** Returns the text on how long the balance lasts. */
function lastingText(own: Me): string {
  if (isEmpty(own)) return emptyText(pendingCredit())
  return own.daysLeft === null ? texts.billing.noRate : texts.billing.lasts(own.daysLeft)
}

function emptyText(credit: string | undefined): string {
  return credit === undefined ? texts.billing.empty : `${texts.billing.empty} ${texts.play.confirmFirst(credit)}`
}
