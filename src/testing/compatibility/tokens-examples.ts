import { type ExampleSections, fields, parameters } from './example.ts'

const chatFields = {
  tools: [{ type: 'function', function: { name: 'find', parameters } }],
  chat_template_kwargs: { a: 1 },
  add_generation_prompt: false,
}
const messages = [{ role: 'user', content: 'Ho' }]
const inChat = Object.fromEntries(
  Object.entries(chatFields).map(([name, value]) => [
    name,
    { body: { prompt: null, messages, [name]: value }, without: { prompt: null, messages } },
  ]),
)
const inContent = Object.fromEntries(
  Object.entries({ add_special: true, parse_special: false, with_pieces: true }).map(([name, value]) => [
    name,
    { body: { prompt: null, content: 'a', [name]: value }, without: { prompt: null, content: 'a' } },
  ]),
)

/** Examples for all rows of tokenize, detokenize and apply-template in docs/reference/fields.md. */
export const tokensSections: ExampleSections = {
  'tokenize: Request fields': {
    dialect: 'tokenize',
    examples: {
      ...fields({ model: 'org/other', prompt: 'b', add_special_tokens: false, return_token_strs: true }),
      ...fields({ chat_template: 'a' }),
      ...inContent,
      ...inChat,
      content: { body: { prompt: null, content: 'a' } },
      messages: { body: { prompt: null, messages } },
    },
  },
  'detokenize: Request fields': { dialect: 'detokenize', examples: fields({ model: 'org/other', tokens: [2] }) },
  'apply-template: Request fields': {
    dialect: 'apply-template',
    examples: fields({ model: 'org/other', messages, ...chatFields, chat_template: 'a' }),
  },
}
