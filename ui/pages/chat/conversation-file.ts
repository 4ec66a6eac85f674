/** Conversation as JSON: in the tab's memory, without pictures, and as a file. */

import { type Answer, type Exchange, newId, type Picture, type Question, type ToolCall } from './conversation.ts'
import type { Chat } from './conversation-state.ts'
import { readFailure, readReceipt, writeFailure, writeReceipt } from './outcome.ts'
import { readSettings } from './settings.ts'
import { Step, type StepState } from './step.ts'

const format = 'inferd-conversation'

interface WriteOptions {
  readonly hasPictures: boolean
  /** Number of exchanges that are written, counted from the end. Defaults to all of them. */
  readonly last?: number
}

/** Returns the conversation as a value for JSON. Only files hold pictures. */
export function writeConversation(chat: Chat, { hasPictures, last = Infinity }: WriteOptions): object {
  const exchanges = chat.exchanges.value

  return {
    format,
    version: 1,
    models: chat.models.value,
    system: chat.system.value,
    settings: chat.settings.value,
    tools: chat.tools.value,
    exchanges: exchanges.slice(Math.max(0, exchanges.length - last)).map(({ id, question, answers }) => ({
      id,
      question: hasPictures ? question : withoutPictures(question),
      answers: answers.map((answer) => (answer === undefined ? null : writeAnswer(answer))),
    })),
  }
}

function withoutPictures({ text, pictures, lostPictures }: Question): Question {
  return { text, pictures: [], lostPictures: lostPictures + pictures.length }
}

function writeAnswer({ model, steps }: Answer): object {
  return {
    model,
    steps: steps.map((step) => ({
      state: step.isRunning ? 'stopped' : step.state.value,
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

/** Replaces the conversation by a saved one. Throws an Error if the value is none. */
export function readConversation(chat: Chat, value: unknown): void {
  const file = fields(value)
  if (file.format !== format || !Array.isArray(file.exchanges)) throw new Error('It is no conversation of these pages.')
  const models = texts(file.models)
  if (models.length > 0) chat.models.value = models.slice(0, 2)
  chat.system.value = text(file.system)
  chat.settings.value = readSettings(file.settings)
  chat.tools.value = text(file.tools)
  const ids = new Set(file.exchanges.map((exchange: unknown) => fields(exchange).id).filter(Number.isInteger))
  const hasIds = ids.size === file.exchanges.length
  chat.exchanges.value = file.exchanges.map((exchange: unknown): Exchange => {
    const { id, question, answers } = fields(exchange)
    return {
      id: hasIds ? Number(id) : newId(),
      question: readQuestion(question),
      answers: list(answers).map(readAnswer),
    }
  })
}

function readQuestion(value: unknown): Question {
  const question = fields(value)
  const pictures = list(question.pictures).map(fields).filter(isPicture)
  return { text: text(question.text), pictures, lostPictures: Number(question.lostPictures) || 0 }
}

function isPicture(value: Record<string, unknown>): value is Record<string, unknown> & Picture {
  const isKnown = /^data:image\/(png|jpeg|webp|gif);base64,[\w+/=]+$/.test(text(value.url))
  return isKnown && ['width', 'height', 'bytes'].every((name) => typeof value[name] === 'number')
}

function readAnswer(value: unknown): Answer | undefined {
  if (value === null) return undefined
  const { model, steps } = fields(value)
  return { model: text(model), steps: list(steps).map(readStep) }
}

const endStates: readonly StepState[] = ['complete', 'stopped', 'failed']

function readStep(value: unknown): Step {
  const given = fields(value)
  const step = new Step(undefined, endStates.find((state) => state === given.state) ?? 'complete')
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

function fields(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {}
}

function list(value: unknown): unknown[] {
  return Array.isArray(value) ? value : []
}

function text(value: unknown): string {
  return typeof value === 'string' ? value : ''
}

function texts(value: unknown): string[] {
  return list(value).filter((item) => typeof item === 'string')
}
