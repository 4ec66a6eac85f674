import type { ComponentChildren } from 'preact'
import { offlineSinceMs } from '../../api/connection.ts'
import { texts } from '../../texts/texts.ts'
import { CallFailure } from './call-failure.tsx'
import { ModelWait } from './model-wait.tsx'
import type { Call } from './use-call.ts'

interface CallFormProps {
  readonly call: Pick<Call<unknown>, 'isRunning' | 'failure' | 'stop' | 'forgetFailure'>
  /** Id of the requested model */
  readonly model: string
  readonly button: string
  /** True if the input is not empty. */
  readonly isReady: boolean
  readonly onSend: () => unknown
  /** True once the answer has begun, which ends the display of waiting. */
  readonly hasBegun?: boolean
  readonly children: ComponentChildren
  /** Shown beside the last request's failure. */
  readonly belowFailure?: ComponentChildren
}

/**
 * Shows the fields of a request to a model, its button (also for retries), Stop while it runs, and its waiting and
 * failure.
 */
export function CallForm({
  call,
  model,
  button,
  isReady,
  onSend,
  hasBegun = false,
  children,
  belowFailure,
}: CallFormProps) {
  return (
    <>
      <form
        class="play-form"
        onInput={call.forgetFailure}
        onSubmit={(event) => {
          event.preventDefault()
          void onSend()
        }}
      >
        {children}
        <div class="actions">
          {call.isRunning && (
            <button type="button" onClick={call.stop}>
              {texts.shared.stop}
            </button>
          )}
          <button
            type="submit"
            class="primary"
            aria-busy={call.isRunning}
            disabled={call.isRunning || !isReady || offlineSinceMs.value !== undefined}
          >
            {button}
          </button>
        </div>
      </form>
      {call.isRunning && !hasBegun && <ModelWait model={model} />}
      {call.failure !== undefined && (
        <div>
          <CallFailure failure={call.failure} />
          {belowFailure}
        </div>
      )}
    </>
  )
}
