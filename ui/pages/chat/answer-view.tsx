import { useLayoutEffect, useState } from 'preact/hooks'
import { me } from '../../api/session.ts'
import { LongText } from '../../parts/long-text.tsx'
import { Money } from '../../parts/money.tsx'
import { CallFailure } from '../../parts/play/call-failure.tsx'
import { ModelWait } from '../../parts/play/model-wait.tsx'
import { durationText } from '../../parts/time-text.ts'
import { texts } from '../../texts/texts.ts'
import { AnswerActions } from './answer-actions.tsx'
import { AnswerText } from './answer-text.tsx'
import type { Answer, ToolCall } from './conversation.ts'
import type { Versions } from './kept/tree.ts'
import type { Step } from './step.ts'
import { ToolCalls } from './tool-calls.tsx'

interface AnswerViewProps {
  readonly answer: Answer
  /** True for the last answer, whose calls can be answered. */
  readonly isLast: boolean
  readonly versions: Versions
  readonly onVersion: (id: number) => void
  /** True if another request can give another answer. */
  readonly mayRedo: boolean
  readonly onRedo: () => void
  readonly onResult: (step: Step, call: ToolCall, result: string | undefined) => void
  readonly onSendResults: () => void
  /** Called when more of the text is shown. */
  readonly onShown: () => void
}

/** Shows the answer of one model: its steps, each with a row of actions at its end. */
export function AnswerView(props: AnswerViewProps) {
  const { answer, isLast, versions, onVersion, mayRedo, onRedo, onResult, onSendResults, onShown } = props
  const last = answer.steps.at(-1)
  return (
    <div class="answer">
      <h2 class="answer-model">{answer.model}</h2>
      {answer.steps.map((step) => (
        <StepView
          key={step}
          step={step}
          model={answer.model}
          isLast={isLast && step === last}
          // Only the whole answer has versions, and is requested again.
          {...(step === last && { versions, ...(mayRedo && { onRedo }) })}
          onVersion={onVersion}
          onResult={(call, result) => onResult(step, call, result)}
          onSendResults={onSendResults}
          onShown={onShown}
        />
      ))}
    </div>
  )
}

interface StepViewProps extends Pick<AnswerViewProps, 'isLast' | 'onVersion' | 'onSendResults' | 'onShown'> {
  readonly step: Step
  readonly model: string
  readonly versions?: Versions
  readonly onRedo?: () => void
  readonly onResult: (call: ToolCall, result: string | undefined) => void
}

function StepView(props: StepViewProps) {
  const { step, model, isLast, versions, onVersion, onRedo, onResult, onSendResults, onShown } = props
  const state = step.state.value
  const failure = step.failure.value
  const calls = step.calls.value
  const isEnded = !step.isRunning
  return (
    <div class="step" aria-busy={!isEnded}>
      {state === 'waiting' && <ModelWait model={model} />}
      <Thinking step={step} />
      <AnswerText step={step} onShown={onShown} />
      {isEnded && calls.length > 0 && (
        <ToolCalls calls={calls} mayAnswer={isLast} onResult={onResult} onSend={onSendResults} />
      )}
      {failure !== undefined && <CallFailure failure={failure} {...(onRedo !== undefined && { onRetry: onRedo })} />}
      {isEnded && <StepEnd step={step} onShown={onShown} />}
      {isEnded && (
        <AnswerActions
          step={step}
          {...(versions !== undefined && { versions })}
          onVersion={onVersion}
          onShown={onShown}
          {...(onRedo !== undefined && failure === undefined && { onRedo })}
        />
      )}
    </div>
  )
}

/** Tells why a step has no more text, and what it cost. */
function StepEnd({ step, onShown }: { readonly step: Step; readonly onShown: () => void }) {
  const receipt = step.receipt.value
  useLayoutEffect(onShown, [receipt, onShown])
  const isCutOff = step.state.value === 'stopped' || step.state.value === 'failed'
  return (
    <>
      {isCutOff && receipt !== undefined && (
        <p class="stopped">
          {step.state.value === 'stopped' ? texts.chat.stopped : texts.chat.failed}{' '}
          {me.value?.isUnmetered === true ? null : (
            <>
              {texts.chat.charged} <Money usd={receipt.chargedUsd} />.
            </>
          )}
        </p>
      )}
      {step.isElsewhere && (
        <p role="status" class="hint">
          {texts.chat.elsewhere}
        </p>
      )}
      {step.state.value === 'stopped' && receipt === undefined && <p class="stopped">{texts.chat.stopped}</p>}
      {receipt?.finish === 'length' && <p class="hint">{texts.chat.cutByLength}</p>}
    </>
  )
}

/** Shows a model's reasoning, folded by default. */
function Thinking({ step }: { readonly step: Step }) {
  const [isOpen, setIsOpen] = useState(false)
  // Subscribes to changes of the text.
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
