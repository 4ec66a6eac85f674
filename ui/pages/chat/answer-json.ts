/** Answers as JSON values: in the browser's database and in files. */

import type { Answer, ToolCall } from './conversation.ts'
import { fields, list, text } from './json-fields.ts'
import { readFailure, readReceipt, writeFailure, writeReceipt } from './outcome.ts'
import { Step, type StepState } from './step.ts'

/** Returns an answer as a value for JSON. */
export function writeAnswer({ model, steps }: Answer): object {
  return {
    model,
    steps: steps.map((step) => ({
      state: step.isRunning || step.isElsewhere ? 'streaming' : step.state.value,
      text: step.text,
      reasoning: step.reasoning,
      thought_ms: step.thoughtMs,
      calls: step.calls.value,
      request_id: step.requestId,
      receipt: writeReceipt(step.receipt.value),
      failure: writeFailure(step.failure.value),
    })),
  }
}

/** Reads an answer, which another tab may still be writing. Unknown and invalid fields are left out. */
export function readAnswer(value: unknown, isGrowing = false): Answer | undefined {
  if (value === null) return undefined
  const { model, steps } = fields(value)
  return { model: text(model), steps: list(steps).map((step) => readStep(step, isGrowing)) }
}

const endStates: readonly StepState[] = ['complete', 'stopped', 'failed']

function readStep(value: unknown, isGrowing: boolean): Step {
  const given = fields(value)
  const unfinished = isGrowing ? 'elsewhere' : 'stopped'
  const ended = endStates.find((state) => state === given.state) ?? 'complete'
  const step = new Step(undefined, given.state === 'streaming' ? unfinished : ended)
  step.text = text(given.text)
  step.reasoning = text(given.reasoning)
  step.thoughtMs = typeof given.thought_ms === 'number' ? given.thought_ms : undefined
  step.calls.value = list(given.calls).map(fields).map(readCall)
  step.requestId = typeof given.request_id === 'string' ? given.request_id : undefined
  step.receipt.value = readReceipt(given.receipt)
  step.failure.value = readFailure(given.failure)
  return step
}

function readCall(call: Record<string, unknown>): ToolCall {
  const { id, name, result } = call
  const said = typeof result === 'string' ? { result } : {}
  return { id: text(id), name: text(name), arguments: text(call.arguments), ...said }
}
