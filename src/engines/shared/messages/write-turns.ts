/** Writes turns of calls in a form that the template can show. */
import type { ChatMessage } from '../../../core/chat.ts'
import { type Content, joinContents, textContent } from '../../../core/content.ts'
import { flatText, objectText } from './call-arguments.ts'
import type { AnsweredCall, CallTurn, Turn } from './place-results.ts'
import { isCallTurn } from './place-results.ts'
import type { TemplateAbilities } from './template-abilities.ts'

type Abilities = Pick<
  TemplateAbilities,
  'calls' | 'nestedArguments' | 'textBesideCalls' | 'openCalls' | 'looseResults' | 'tools'
>

/** Separator of joined texts. */
const paragraph = '\n\n'

/** Marks around a call in text, for models whose template has no syntax for calls. */
export const callMarks = { open: '<tool_call>', close: '</tool_call>' } as const

export function writeTurns(turns: readonly Turn[], abilities: Abilities): ChatMessage[] {
  return turns.flatMap((turn) => {
    if (isCallTurn(turn)) return writers[abilities.calls](turn, abilities)
    return turn.role === 'tool' && !abilities.looseResults ? [asUser(turn, 'Result of a tool call:\n')] : [turn]
  })
}

type Writer = (turn: CallTurn, abilities: Abilities) => ChatMessage[]

const writers: Readonly<Record<TemplateAbilities['calls'], Writer>> = {
  several: ({ message, calls }, abilities) => [
    ...callMessages(message, calls, abilities),
    ...calls.flatMap((answered) => resultOf(answered, abilities)),
  ],
  one: ({ message, calls }, abilities) =>
    calls.flatMap((answered, index) => [
      ...callMessages(index === 0 ? message : { role: 'assistant', content: [] }, [answered], abilities),
      ...resultOf(answered, abilities),
    ]),
  none: ({ message, calls }, abilities) => {
    const { toolCalls: _, ...said } = message
    // An assistant's text that shows calls would teach the model to write them that way.
    const isTold = abilities.tools === 'none'
    const told = isTold ? calls : calls.filter(({ result }) => result === undefined)
    const content = told.reduce<Content>(
      (before, { call }) => joinContents(before, textContent(writtenCall(call.name, call.argumentsText)), paragraph),
      message.content,
    )
    return [
      ...(content.length === 0 && message.reasoning === undefined ? [] : [{ ...said, content }]),
      ...calls.flatMap(({ call, result }) => {
        if (result === undefined) return []
        const label = isTold
          ? `Result of ${call.name}:\n`
          : `Result of ${call.name} with ${objectText(call.argumentsText)}:\n`
        if (!abilities.looseResults) return [asUser(result, label)]
        return [isTold ? result : { ...result, content: joinContents(textContent(label), result.content, '') }]
      }),
    ]
  },
}

/** Returns a call as answer text, in the syntax given to models without their own. */
export function writtenCall(name: string, argumentsText: string): string {
  const call = `{"name": ${JSON.stringify(name)}, "arguments": ${objectText(argumentsText)}}`
  return `${callMarks.open}\n${call}\n${callMarks.close}`
}

function callMessages(
  message: ChatMessage,
  calls: readonly AnsweredCall[],
  { nestedArguments, textBesideCalls }: Abilities,
) {
  const toolCalls = calls.map(({ call }) =>
    nestedArguments ? call : { ...call, argumentsText: flatText(call.argumentsText) },
  )
  if (textBesideCalls || message.content.length === 0) return [{ ...message, toolCalls }]
  const { toolCalls: _, reasoning, ...said } = message
  return [said, { ...message, content: [], toolCalls }]
}

function resultOf({ call, result }: AnsweredCall, { openCalls }: Abilities): ChatMessage[] {
  if (result !== undefined) return [result]
  return openCalls ? [] : [{ role: 'tool', content: textContent('(no result yet)'), toolCallId: call.id }]
}

function asUser({ content }: ChatMessage, label: string): ChatMessage {
  return { role: 'user', content: joinContents(textContent(label), content, '') }
}
