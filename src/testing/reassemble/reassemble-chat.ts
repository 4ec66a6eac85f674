import { readEvents } from './read-events.ts'

interface WireCall {
  id: unknown
  type: unknown
  name: unknown
  text: string
}

export interface ChatChoice {
  role: unknown
  content: string
  reasoning: string
  calls: WireCall[]
  finish: unknown
}

/** Returns the choices and the usage of a chat/completions stream. */
export function reassembleChat(stream: string): { choices: ChatChoice[]; usage: unknown } {
  const events = readEvents(stream)
  if (events.pop()?.data !== '[DONE]') throw new Error('the stream has no end')
  const choices: ChatChoice[] = []
  let usage: unknown
  for (const { name, data } of events) {
    if (name !== undefined) throw new Error(`a named event: ${name}`)
    const chunk = JSON.parse(data)
    usage = chunk.usage ?? usage
    for (const { index, delta, finish_reason } of chunk.choices) {
      choices[index] ??= { role: delta.role, content: '', reasoning: '', calls: [], finish: null }
      const choice = choices[index]
      if (choice.finish !== null) throw new Error(`choice ${index} goes on after its end`)
      choice.content += delta.content ?? ''
      choice.reasoning += delta.reasoning_content ?? ''
      choice.finish = finish_reason
      for (const { index: at, id, type, function: called, custom } of delta.tool_calls ?? []) {
        choice.calls[at] ??= { id, type, name: (called ?? custom).name, text: '' }
        choice.calls[at].text += called?.arguments ?? custom?.input ?? ''
      }
    }
  }
  return { choices, usage }
}
