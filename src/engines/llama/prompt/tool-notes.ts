/** System message that shows the tools, for templates that do not. */
import type { ChatMessage, Tool } from '../../../core/chat.ts'
import { joinContents, textContent } from '../../../core/content.ts'
import { isObject } from '../../../core/json.ts'
import { writtenCall } from '../../shared/messages/write-turns.ts'
import type { NativeModel } from '../native.ts'
import { plainWords, renderExample } from './template-messages.ts'

/**
 * Returns whether a prompt holds the definition of any of the tools, and not only calls. Searches only for text that
 * every template writes unchanged.
 */
export function showsTools(prompt: string, tools: readonly Tool[]): boolean {
  return tools.some(({ name, description = '', parameters: { properties } }) => {
    const names = isObject(properties) ? Object.keys(properties) : []
    return [name, plainWords(description), ...names.map(plainWords)].every((part) => prompt.includes(part))
  })
}

/** Returns the messages with a system message that shows the tools, and an example of how to call one. */
export function withToolNotes(
  messages: readonly ChatMessage[],
  tools: readonly Tool[],
  example: string,
): readonly ChatMessage[] {
  const definitions = tools.map(({ name, description, parameters }) =>
    JSON.stringify({ name, description, parameters }),
  )
  const notes = [
    'You can call functions. These are there, each described in JSON on a line of its own:',
    definitions.join('\n'),
    'To call one, write nothing but this, with its own name and arguments:',
    example,
  ].join('\n\n')
  const [first, ...rest] = messages
  if (first?.role !== 'system') return [{ role: 'system', content: textContent(notes) }, ...messages]
  return [{ ...first, content: joinContents(textContent(`${notes}\n\n`), first.content, '') }, ...rest]
}

const placeholder: Tool = {
  name: 'name_of_function',
  parameters: { type: 'object', properties: { name_of_argument: { type: 'string' } } },
}

const placeholderArguments = '{"name_of_argument": "value"}'

/** Example call for a template that knows none. */
export const writtenExample = writtenCall(placeholder.name, placeholderArguments)

/** Returns a call in the template's form; undefined if it shows none. */
export async function exampleCall(model: Pick<NativeModel, 'applyTemplate'>): Promise<string | undefined> {
  const call = { id: 'call00001', name: placeholder.name, argumentsText: placeholderArguments }
  const messages: ChatMessage[] = [
    { role: 'user', content: textContent('Hi') },
    { role: 'assistant', content: [], toolCalls: [call] },
  ]
  const format = await renderExample(model, messages, [placeholder])
  const mark = format.grammarTriggers.find(({ type }) => type === 'word')?.value.trim()
  const start = mark === undefined ? -1 : format.prompt.lastIndexOf(mark)
  if (start < 0) return undefined
  for (const before of ['', ...format.thinkingEndTags]) {
    for (let end = start + 1; end <= format.prompt.length; end++) {
      const { isComplete, toolCalls } = format.parse(before + format.prompt.slice(start, end))
      if (isComplete && toolCalls.length === 1) return format.prompt.slice(start, end)
    }
  }
  return undefined
}
