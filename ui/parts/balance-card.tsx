import type { ComponentChildren } from 'preact'
import { me } from '../api/session.ts'
import { texts } from '../texts/texts.ts'
import { ExactMoney, Money } from './money.tsx'
import { moneyText } from './money-text.ts'
import { pendingCredit } from './play/pending-credit.ts'

/** Shows the balance, the part held by requests, and the time that it lasts. `children` follow below. */
export function BalanceCard({ children }: { readonly children?: ComponentChildren }) {
  const own = me.value
  if (own === undefined) return null
  return (
    <section class="card balance-card">
      <h2>{texts.billing.balance}</h2>
      {own.is_unmetered ? (
        <p>{texts.billing.unmetered}</p>
      ) : (
        <>
          <p class="amount">
            <Money usd={own.balance_usd} />
          </p>
          {isTiny(own.balance_usd) && (
            <p class="muted">
              {texts.billing.exactly} <ExactMoney usd={own.balance_usd} />
            </p>
          )}
          {own.running_requests > 0 && (
            <p>
              <Money usd={own.held_usd} />
              {texts.billing.held(own.running_requests)}
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

function isLow({ balance, days_left: days }: { readonly balance: number; readonly days_left: number | null }): boolean {
  return balance <= 0 || (days !== null && days < lowDays)
}

/** Says how long the balance lasts. Only the sign of its number is used. */
function lastingText({ balance, days_left: days }: { readonly balance: number; readonly days_left: number | null }) {
  if (balance <= 0) return emptyText(pendingCredit())
  return days === null ? texts.billing.noRate : texts.billing.lasts(days)
}

function emptyText(credit: string | undefined): string {
  return credit === undefined ? texts.billing.empty : `${texts.billing.empty} ${texts.play.confirmFirst(credit)}`
}
