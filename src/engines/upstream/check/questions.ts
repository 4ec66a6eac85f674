/** Requests of a check. They contain nothing from clients. */
import type { ChatRequest, Tool } from '../../../core/chat.ts'
import { type Content, textContent } from '../../../core/content.ts'
import type { JsonObject } from '../../../core/json.ts'
import type { ModelManifest } from '../../../core/model.ts'

export const askedTool: Tool = {
  name: 'get_weather',
  description: 'The weather in a city',
  parameters: {
    type: 'object',
    properties: { city: { type: 'string' } },
    required: ['city'],
    additionalProperties: false,
  },
}

/** Words that a model would not use unasked. */
export const askedWords = ['plumbago', 'zeugma'] as const

const askedSchema: JsonObject = {
  type: 'object',
  properties: { word: { type: 'string', enum: [...askedWords] } },
  required: ['word'],
  additionalProperties: false,
}

const few = 64
/** Token limit for models that always think, because the answer comes after the thinking. */
const manyForThought = 1024

/** Returns the most tokens of an answer. */
export function maxTokensOf({ capabilities: { reasoning } }: Pick<ModelManifest, 'capabilities'>): number {
  return reasoning === 'always' || reasoning === 'effort' ? manyForThought : few
}

function question(content: Content, parts: Partial<ChatRequest> = {}): ChatRequest {
  return {
    messages: [{ role: 'user', content }],
    sampling: {},
    stop: [],
    choices: 1,
    tools: [],
    toolChoice: { mode: 'auto' },
    parallelToolCalls: true,
    reasoning: {},
    ...parts,
  }
}

const weather = textContent('What is the weather in Paris now? Call the tool.')
const strict = { path: 'response_format', isStrict: true }

export const questions = {
  words: question(textContent('Write the numbers from one to five in words.')),
  tools: question(weather, { tools: [askedTool] }),
  namedTool: question(weather, {
    tools: [askedTool],
    toolChoice: { mode: 'required', allowed: [askedTool.name] },
  }),
  schema: question(textContent('Say hello as a JSON object.'), {
    answerSchema: askedSchema,
    answerSchemaOrigin: strict,
  }),
  thinking: question(textContent('How much is 17 times 23?'), { reasoning: { mode: 'on' } }),
  effort: question(textContent('How much is 17 times 23?'), { reasoning: { mode: 'on', effort: 'low' } }),
  noThinking: question(textContent('How much is 17 times 23?'), { reasoning: { mode: 'off' } }),
  prompt: { ...question([]), messages: [], prompts: [{ kind: 'text', text: 'One, two, three,', param: 'prompt' }] },
  logprobs: question(textContent('Say hello.'), { topLogprobs: 1 }),
  long: question(textContent('Write the numbers from one to five hundred in words.')),
  picture: question([
    {
      ...{ type: 'image', hash: 'red', path: '', detail: 'auto', width: 64, height: 64, orientation: 1 },
      param: 'messages[0].content[0]',
    },
    { type: 'text', text: 'Which colour is this?' },
  ]),
} satisfies Record<string, ChatRequest>

/** Returns a red square as a decoded picture. */
export function redPicture(): Buffer {
  const side = 64
  const pixels = Buffer.alloc(side * side * 3)
  for (let at = 0; at < pixels.length; at += 3) pixels[at] = 255
  return Buffer.concat([Buffer.from(`P6\n${side} ${side}\n255\n`, 'latin1'), pixels])
}

/** Returns the request without thinking, which is faster, if the model allows that. */
export function briefly(request: ChatRequest, { capabilities: { reasoning } }: ModelManifest): ChatRequest {
  return reasoning === 'toggle' || reasoning === undefined ? { ...request, reasoning: { mode: 'off' } } : request
}
