import { useId } from 'preact/hooks'
import { texts } from '../../texts/texts.ts'
import type { ToolCall } from './conversation.ts'
import { readArguments, sampleResult, sampleTools } from './tools.ts'

interface ToolCallsProps {
  readonly calls: readonly ToolCall[]
  /** True if results can still be entered. */
  readonly mayAnswer: boolean
  readonly onResult: (call: ToolCall, result: string | undefined) => void
  readonly onSend: () => void
}

/** Shows the calls of a step. Nothing runs by itself: results are typed, or requested from a sample. */
export function ToolCalls({ calls, mayAnswer, onResult, onSend }: ToolCallsProps) {
  const isComplete = calls.every(({ result }) => result !== undefined)
  return (
    <form
      class="tool-calls"
      onSubmit={(event) => {
        event.preventDefault()
        if (isComplete) onSend()
      }}
    >
      {calls.map((call) => (
        <CallForm key={call.id} call={call} mayAnswer={mayAnswer} onResult={(result) => onResult(call, result)} />
      ))}
      {mayAnswer && (
        <div class="actions">
          <button type="submit" class="primary" disabled={!isComplete}>
            {texts.chat.sendResults(calls.length)}
          </button>
        </div>
      )}
    </form>
  )
}

interface CallFormProps {
  readonly call: ToolCall
  readonly mayAnswer: boolean
  readonly onResult: (result: string | undefined) => void
}

function CallForm({ call, mayAnswer, onResult }: CallFormProps) {
  const id = useId()
  const given = readArguments(call.arguments)
  const isSample = Object.hasOwn(sampleTools, call.name)
  return (
    <fieldset class="tool-call">
      <legend>
        {texts.chat.tool} <code>{call.name}</code>
      </legend>
      {given === undefined ? (
        <pre dir="ltr">{call.arguments}</pre>
      ) : (
        <dl>
          {given.map(([name, value]) => (
            <div key={name}>
              <dt>
                <code>{name}</code>
              </dt>
              <dd dir="auto">{value}</dd>
            </div>
          ))}
        </dl>
      )}
      <div class="field">
        <label for={id}>{texts.chat.result}</label>
        <textarea
          id={id}
          rows={2}
          class="code"
          value={call.result ?? ''}
          readOnly={!mayAnswer}
          placeholder={texts.chat.resultPlaceholder}
          onInput={({ currentTarget }) => onResult(currentTarget.value === '' ? undefined : currentTarget.value)}
        />
      </div>
      {mayAnswer && isSample && (
        <button type="button" class="small" onClick={() => onResult(sampleResult(call.name, call.arguments))}>
          {texts.chat.useSample}
        </button>
      )}
    </fieldset>
  )
}
