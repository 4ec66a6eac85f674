import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import { offlineSinceMs } from '../api/connection.ts'
import { asFailure, type RequestFailure } from '../api/failure.ts'
import { FailureBox } from './failure-box.tsx'

interface ActionButtonProps {
  /** Performs the action at once. A failure is shown below the button, which can try again. */
  readonly onAct: () => Promise<void>
  readonly children: ComponentChildren
  readonly title?: string
  readonly class?: string
}

/** Shows a button for an action without input. Disabled during the action and while offline. */
export function ActionButton({ onAct, children, title, class: look }: ActionButtonProps) {
  const [failure, setFailure] = useState<RequestFailure>()
  const [isActing, setIsActing] = useState(false)
  const act = async () => {
    setIsActing(true)
    setFailure(undefined)
    await onAct().catch((error: unknown) => setFailure(asFailure(error)))
    setIsActing(false)
  }
  const isResting = isActing || offlineSinceMs.value !== undefined
  return (
    <>
      <button
        type="button"
        class={look}
        title={title}
        aria-busy={isActing}
        disabled={isResting}
        onClick={() => void act()}
      >
        {children}
      </button>
      {failure !== undefined && <FailureBox failure={failure} />}
    </>
  )
}
