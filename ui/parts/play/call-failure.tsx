import { useEffect, useState } from 'preact/hooks'
import type { RequestFailure } from '../../api/failure.ts'
import { texts } from '../../texts/texts.ts'
import { CopyButton } from '../copy-button.tsx'
import { Icon } from '../icon.tsx'

export interface CallFailureProps {
  readonly failure: RequestFailure
  readonly onRetry?: () => void
}

/** Why a request to a model failed, in the server's words: the way to billing where money is missing, and when to retry. */
export function CallFailure({ failure, onRetry }: CallFailureProps) {
  const { code, requestId, retryAfterSeconds } = failure.facts
  const isMoney = code === 'insufficient_balance'
  return (
    <div class="failure" role="alert">
      <p>
        <Icon name="circle-alert" /> {failure.message}
      </p>
      {requestId !== undefined && (
        <p class="muted">
          {texts.shared.requestId} <code>{requestId}</code>{' '}
          <CopyButton text={requestId} what={texts.shared.requestId} />
        </p>
      )}
      <div class="row">
        {isMoney && (
          <a class="button primary" href="/dashboard/billing">
            {texts.play.addFunds}
          </a>
        )}
        {onRetry !== undefined && (
          <RetryButton key={requestId} waitSeconds={retryAfterSeconds ?? 0} onRetry={onRetry} />
        )}
      </div>
    </div>
  )
}

function RetryButton({ waitSeconds, onRetry }: { readonly waitSeconds: number; readonly onRetry: () => void }) {
  const [left, setLeft] = useState(waitSeconds)
  useEffect(() => {
    if (left <= 0) return
    const timer = setTimeout(() => setLeft(left - 1), 1_000)
    return () => clearTimeout(timer)
  }, [left])
  return (
    <button type="button" disabled={left > 0} onClick={onRetry}>
      <Icon name="rotate-cw" /> {left > 0 ? texts.play.retryIn(left) : texts.shared.retry}
    </button>
  )
}
