/** Equivalent requests of the three dialects, with scripts of the fake engine. */
import type { FakeAction } from '../../engines/fake/script.ts'
import { toDataUrl } from '../pictures.ts'

export interface Question {
  readonly script: readonly FakeAction[]
  /** Further fields of the script. */
  readonly ending?: object
  readonly tools?: readonly string[]
  readonly schema?: object
  readonly stop?: readonly string[]
  readonly maxTokens?: number
  readonly thinks?: boolean
  readonly picture?: Uint8Array
}

export type Dialect = 'chat' | 'responses' | 'messages'

interface DialectForm {
  readonly path: string
  readonly write: (question: Question) => object
}

const parameters = { type: 'object', properties: { word: { type: 'string' } }, required: ['word'] }
const scriptText = ({ script, ending }: Question) => JSON.stringify({ script, ...ending })
const described = (names: Question['tools']) =>
  names?.map((name) => ({ name, description: `What ${name} does`, parameters }))

export const dialectForms: Readonly<Record<Dialect, DialectForm>> = {
  chat: {
    path: '/v1/chat/completions',
    write: (question) => ({
      messages: [
        { role: 'system', content: 'Be short.' },
        {
          role: 'user',
          content:
            question.picture === undefined
              ? scriptText(question)
              : [
                  { type: 'text', text: scriptText(question) },
                  { type: 'image_url', image_url: { url: toDataUrl(question.picture) } },
                ],
        },
      ],
      tools: described(question.tools)?.map((tool) => ({ type: 'function', function: tool })),
      response_format: question.schema && {
        type: 'json_schema',
        json_schema: { name: 'answer', schema: question.schema, strict: true },
      },
      stop: question.stop,
      max_tokens: question.maxTokens,
      reasoning_effort: question.thinks === true ? 'low' : undefined,
      stream_options: { include_usage: true },
    }),
  },
  responses: {
    path: '/v1/responses',
    write: (question) => ({
      instructions: 'Be short.',
      input: [
        {
          role: 'user',
          content: [
            { type: 'input_text', text: scriptText(question) },
            ...(question.picture === undefined
              ? []
              : [{ type: 'input_image', image_url: toDataUrl(question.picture), detail: 'auto' }]),
          ],
        },
      ],
      tools: described(question.tools)?.map((tool) => ({ type: 'function', ...tool, strict: false })),
      text: question.schema && {
        format: { type: 'json_schema', name: 'answer', schema: question.schema, strict: true },
      },
      max_output_tokens: question.maxTokens,
      reasoning: question.thinks === true ? { effort: 'low' } : undefined,
    }),
  },
  messages: {
    path: '/v1/messages',
    write: (question) => ({
      system: 'Be short.',
      messages: [
        {
          role: 'user',
          content: [
            { type: 'text', text: scriptText(question) },
            ...(question.picture === undefined
              ? []
              : [
                  {
                    type: 'image',
                    source: { type: 'base64', media_type: 'image/png', data: base64(question.picture) },
                  },
                ]),
          ],
        },
      ],
      tools: question.tools?.map((name) => ({ name, description: `What ${name} does`, input_schema: parameters })),
      output_config: question.schema && { format: { type: 'json_schema', schema: question.schema } },
      stop_sequences: question.stop,
      max_tokens: question.maxTokens ?? 100,
      thinking: question.thinks === true ? { type: 'adaptive' } : undefined,
    }),
  },
}

function base64(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('base64')
}

/** Returns an answer's text without the parts that differ between answers: ids, times and the model's name. */
export function withoutIds(answer: string): string {
  return answer
    .replaceAll(/"(?:chatcmpl|resp|msg|call|toolu|rs|fc|req)[-_]\w+"/g, '"ID"')
    .replaceAll(/"(created|created_at|completed_at)":\d+/g, '"$1":0')
    .replaceAll(/"(model)":"[^"]*"/g, '"$1":"M"')
    .replaceAll(/^: ?\w*\n\n/gm, '')
}

export const questions: Readonly<Record<string, Question>> = {
  words: { script: [{ text: 'Hel' }, { text: 'lo ' }, { text: '🙂' }, { text: '\n\u2028"\\' }] },
  nothing: { script: [] },
  'thinking and text': {
    script: [{ reasoning: 'Let me' }, { reasoning: ' see.' }, { text: 'Yes' }, { text: '.' }],
    thinks: true,
  },
  'thinking that is cut': {
    script: [{ reasoning: 'On' }, { reasoning: ' and' }, { reasoning: ' on' }],
    thinks: true,
    maxTokens: 2,
  },
  'text that is cut': { script: [{ text: 'One' }, { text: ' two' }, { text: ' three' }], maxTokens: 2 },
  'parallel calls': {
    script: [
      { text: 'I look.' },
      { tool: { name: 'look_up', arguments: ['{"word"', ':"a', '\\"b"}'] } },
      { tool: { name: 'now', arguments: ['{}'] } },
    ],
    ending: { finish: 'tool-calls', promptTokens: 30, cachedTokens: 12 },
    tools: ['look_up', 'now'],
  },
  'thinking before a call': {
    script: [{ reasoning: 'Both.' }, { tool: { name: 'look_up', arguments: ['{"word":"🙂"}'] } }],
    ending: { finish: 'tool-calls' },
    tools: ['look_up'],
    thinks: true,
  },
  'a call that is cut': {
    script: [{ tool: { name: 'look_up', arguments: ['{"word":"a'] } }, { text: 'never' }],
    tools: ['look_up'],
    maxTokens: 1,
  },
  'an answer of a schema': { script: [{ text: '{"word":' }, { text: '"a"}' }], schema: parameters },
  'a stop string': { script: [{ text: 'One' }], ending: { stopString: 'END' }, stop: ['END'] },
}
