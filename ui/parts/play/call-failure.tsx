import type { RequestFailure } from '../../api/failure.ts'
import { payer } from '../../api/payer.ts'
import { texts } from '../../texts/texts.ts'
import { FailureBox } from '../failure-box.tsx'
import { pendingCredit } from './pending-credit.ts'

interface CallFailureProps {
  readonly failure: RequestFailure
  readonly onRetry?: () => void
}

/** Shows why a request to a model failed, with ways to add money if the account's own is used up. */
export function CallFailure({ failure, onRetry }: CallFailureProps) {
  return (
    <FailureBox failure={failure} {...(onRetry !== undefined && { onRetry })} mayRetryAnyway>
      {failure.facts.code === 'insufficient_balance' && payer.value === undefined && <WaysToMoney />}
    </FailureBox>
  )
}

/** Offers the starter credit that awaits a confirmed address, and the billing page. */
function WaysToMoney() {
  const credit = pendingCredit()
  return (
    <>
      {credit !== undefined && (
        <p>
          {texts.play.confirmFirst(credit)} <a href="/dashboard/account">{texts.play.confirm}</a>
        </p>
      )}
      <a class="button primary" href="/dashboard/billing">
        {texts.play.addFunds}
      </a>
    </>
  )
}
