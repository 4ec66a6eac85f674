import type { ComponentChildren } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { canRetry, type RequestFailure } from '../api/failure.ts'
import { texts } from '../texts/texts.ts'
import { CopyButton } from './copy-button.tsx'
import { Icon } from './icon.tsx'

interface FailureBoxProps {
  readonly failure: RequestFailure
  /** Repeats the request. Its button is shown if that can help, or `mayRetryAnyway` is set. */
  readonly onRetry?: () => unknown
  readonly mayRetryAnyway?: boolean
  /** Other ways out. */
  readonly children?: ComponentChildren
}

/** Shows the server's own words, the request's id, and a retry once the requested wait has passed. */
export function FailureBox({ failure, onRetry, mayRetryAnyway = false, children }: FailureBoxProps) {
  const { requestId } = failure.facts
  const waitSeconds = useCountdown(failure)
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
      {waitSeconds > 0 && (
        <p class="muted" aria-live="off">
          {texts.shared.retryIn(waitSeconds)}
        </p>
      )}
      {children}
      {onRetry !== undefined && (mayRetryAnyway || canRetry(failure)) && (
        <button type="button" disabled={waitSeconds > 0} onClick={() => void onRetry()}>
          <Icon name="rotate-cw" /> {texts.shared.retry}
        </button>
      )}
    </div>
  )
}

/** Returns the seconds until the server allows another request, counting down. */
function useCountdown(failure: RequestFailure): number {
  const [left, setLeft] = useState(0)
  useEffect(() => {
    const endMs = Date.now() + (failure.facts.retryAfterSeconds ?? 0) * 1_000
    const count = () => setLeft(Math.max(0, Math.ceil((endMs - Date.now()) / 1_000)))
    count()
    const timer = setInterval(count, 1_000)
    return () => clearInterval(timer)
  }, [failure])
  return left
}
