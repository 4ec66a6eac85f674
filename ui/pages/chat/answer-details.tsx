import { useLayoutEffect, useRef } from 'preact/hooks'
import { CodeDrawer } from '../../parts/code-drawer.tsx'
import { Figures } from '../../parts/figures.tsx'
import { RawDrawer } from '../../parts/play/raw-drawer.tsx'
import { receiptItems } from '../../parts/play/request-figures.tsx'
import type { Step } from './step.ts'

interface AnswerDetailsProps {
  readonly id: string
  readonly step: Step
  /** Called when more is shown. */
  readonly onShown: () => void
}

/** Shows an answer's figures, its request as code, and both as they were sent. */
export function AnswerDetails({ id, step, onShown }: AnswerDetailsProps) {
  const place = useRef<HTMLDivElement>(null)
  useLayoutEffect(() => {
    onShown()
    place.current?.scrollIntoView({ block: 'nearest' })
  }, [])
  const receipt = step.receipt.value
  return (
    <div ref={place} class="answer-details" id={id}>
      {receipt !== undefined && <Figures items={receiptItems(receipt)} />}
      {step.request !== undefined && (
        <div class="drawers">
          <CodeDrawer call={{ path: '/chat/completions', body: step.request as Record<string, unknown> }} />
          <RawDrawer request={step.request} response={step.response} />
        </div>
      )}
    </div>
  )
}
