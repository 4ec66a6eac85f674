import type { RequestFailure } from '../api/failure.ts'
import { texts } from '../texts/texts.ts'
import { CopyButton } from './copy-button.tsx'
import { Icon } from './icon.tsx'

export interface FailureBoxProps {
  readonly failure: RequestFailure
  readonly onRetry?: () => unknown
}

/** The server's own words, the request's id, and a way to try again. */
export function FailureBox({ failure, onRetry }: FailureBoxProps) {
  const { requestId } = failure.facts
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
      {onRetry !== undefined && (
        <button type="button" onClick={() => void onRetry()}>
          <Icon name="rotate-cw" /> {texts.shared.retry}
        </button>
      )}
    </div>
  )
}
