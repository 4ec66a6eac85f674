export interface CompatibilityExample {
  /** Fields that replace those of the section's plain body. */
  readonly body: object
  /** Fields of the body without the row's subject. Defaults to the plain body. */
  readonly without?: object
}

/** Examples by the row's name in docs/reference/fields.md. */
export type Examples = Readonly<Record<string, CompatibilityExample>>

export interface ExampleSection {
  readonly dialect:
    | 'chat/completions'
    | 'completions'
    | 'fim/completions'
    | 'responses'
    | 'messages'
    | 'messages/count_tokens'
    | 'tokenize'
    | 'detokenize'
    | 'apply-template'
    | 'embeddings'
    | 'embed'
    | 'v2/embed'
    | 'rerank'
    | 'moderations'
    | 'images/generations'
    | 'audio/speech'
    | 'audio/transcriptions'
    | 'audio/translations'
    | 'api/chat'
    | 'api/generate'
    | 'api/embed'
    | 'api/embeddings'
  readonly examples: Examples
}

/** Sections by the headings above their table. */
export type ExampleSections = Readonly<Record<string, ExampleSection>>

export const user = { role: 'user', content: 'Hi' } as const
export const parameters = { type: 'object', properties: {} } as const
export const answerSchema = { type: 'object', properties: { a: { type: 'string' } }, required: ['a'] } as const

/** Fields of local servers that describe an answer's form, or the way to enforce it. */
export const guidedFields = {
  json_schema: answerSchema,
  guided_json: answerSchema,
  guided_choice: ['a'],
  structured_outputs: { json: answerSchema },
  grammar: 'root ::= "a"',
  guided_grammar: 'root ::= "a"',
  guided_regex: 'a',
  regex: 'a',
  ebnf: 'root ::= "a"',
  guided_decoding_backend: 'auto',
  guided_whitespace_pattern: ' ',
}

/** One value for each field that steers sampling, besides temperature and top_p. */
export const sampling = {
  top_k: 5,
  min_p: 0.1,
  repeat_penalty: 1.1,
  repetition_penalty: 1.1,
  presence_penalty: 1,
  frequency_penalty: 1,
  logit_bias: { '5': 1 },
  seed: 1,
}

/** Returns one body for each field, with that field only. */
export function fields(values: Readonly<Record<string, unknown>>): Examples {
  return mapValues(values, (value, name) => ({ body: { [name]: value } }))
}

/** Returns one body for each tool, which it offers beside `plain`. */
export function tools(plain: object, values: Readonly<Record<string, object>>): Examples {
  return mapValues(values, (tool) => ({ body: { tools: [plain, tool] } }))
}

/** Returns one body for each choice of tools. */
export function toolChoices(values: Readonly<Record<string, unknown>>): Examples {
  // "auto" is the default, so it is compared with "none".
  return mapValues(values, (choice, name) => ({
    body: { tool_choice: choice },
    ...(name === 'auto' ? { without: { tool_choice: typeof choice === 'string' ? 'none' : { type: 'none' } } } : {}),
  }))
}

/** Returns a record with the same keys and changed values. */
export function mapValues<From, To>(
  record: Readonly<Record<string, From>>,
  change: (value: From, name: string) => To,
): Record<string, To> {
  return Object.fromEntries(Object.entries(record).map(([name, value]) => [name, change(value, name)]))
}
