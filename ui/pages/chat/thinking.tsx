import { useState } from 'preact/hooks'
import { LongText } from '../../parts/long-text.tsx'
import { durationText } from '../../parts/time-text.ts'
import { texts } from '../../texts/texts.ts'
import type { Step } from './step.ts'

/** Shows a model's reasoning, folded by default. */
export function Thinking({ step }: { readonly step: Step }) {
  const [isOpen, setIsOpen] = useState(false)
  // Subscribes to the text to show.
  step.shown.value
  if (step.reasoning === '') return null
  const tokens = step.receipt.value?.used.reasoningTokens
  return (
    <details class="thinking" onToggle={({ currentTarget }) => setIsOpen(currentTarget.open)}>
      <summary>
        {step.thoughtMs === undefined && step.isRunning
          ? texts.chat.thinking
          : texts.chat.thought(durationText(step.thoughtMs ?? 0), tokens)}
      </summary>
      {isOpen && (
        <p class="plain" dir="auto">
          <LongText text={step.reasoning} isCut />
        </p>
      )}
    </details>
  )
}
