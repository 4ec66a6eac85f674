/** A conversation as the messages of a request. */
import type { Answer, Exchange, Picture, Question } from './conversation.ts'
import { isHeard } from './read-sound.ts'
import type { Step } from './step.ts'
import { withFiles } from './text-file.ts'

type Message = Readonly<Record<string, unknown>>

interface History {
  readonly system: string
  readonly exchanges: readonly Exchange[]
  /** Column whose answers are sent. Exchanges without one use the first column. */
  readonly column: number
}

/** Returns all messages up to the last question or the last tool results. */
export function toMessages({ system, exchanges, column }: History): Message[] {
  return [
    ...(system.trim() === '' ? [] : [{ role: 'system', content: system }]),
    ...exchanges.flatMap(({ question, answers }) => [
      toUserMessage(question),
      ...stepsOf(answers[column] ?? answers[0]).flatMap(toStepMessages),
    ]),
  ]
}

function toUserMessage({ text: typed, pictures, files }: Question): Message {
  const text = withFiles(typed, files)
  if (pictures.length === 0) return { role: 'user', content: text }
  const parts = pictures.map(toPart)
  return { role: 'user', content: [...parts, ...(text === '' ? [] : [{ type: 'text', text }])] }
}

function toPart(attached: Picture): object {
  const { url, name, document } = attached
  if (isHeard(attached))
    return { type: 'input_audio', input_audio: { data: url.slice(url.indexOf(',') + 1), format: 'wav' } }
  if (document !== undefined) return { type: 'file', file: { filename: name, file_data: url } }
  return { type: 'image_url', image_url: { url } }
}

function stepsOf(answer: Answer | undefined): readonly Step[] {
  return answer?.steps ?? []
}

/** Leaves out calls without a result and empty steps: models cannot continue after them. */
function toStepMessages(step: Step): Message[] {
  const calls = step.calls.value.filter(({ result }) => result !== undefined)
  if (step.text === '' && calls.length === 0) return []
  const assistant = {
    role: 'assistant',
    content: step.text === '' ? null : step.text,
    // Within one turn, chat templates show the model its own thinking.
    ...(calls.length > 0 && step.reasoning !== '' && { reasoning_content: step.reasoning }),
    ...(calls.length > 0 && {
      tool_calls: calls.map(({ id, name, arguments: text }) => ({
        id,
        type: 'function',
        function: { name, arguments: text },
      })),
    }),
  }
  return [assistant, ...calls.map(({ id, result }) => ({ role: 'tool', tool_call_id: id, content: result }))]
}
