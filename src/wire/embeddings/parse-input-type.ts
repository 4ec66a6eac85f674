import { Type } from '@sinclair/typebox'
import type { InputType } from '../../core/texts.ts'

/** Fields in which clients say what a text is for, the one that counts first. */
export const taskFields = {
  input_type: Type.Optional(Type.String({ description: "'query' or 'document'" })),
  task: Type.Optional(Type.String({ description: "the name of a task, as 'retrieval.query'" })),
  prompt_name: Type.Optional(Type.String({ description: "the name of a prompt, as 'query'" })),
}

/** The spellings of all services that have such a field. */
const inputTypes = new Map<string, InputType>([
  ['query', 'query'],
  ['search_query', 'query'],
  ['retrieval.query', 'query'],
  ['retrieval_query', 'query'],
  ['document', 'document'],
  ['passage', 'document'],
  ['search_document', 'document'],
  ['retrieval.document', 'document'],
  ['retrieval.passage', 'document'],
  ['retrieval_document', 'document'],
])

/**
 * What the texts are embedded as, by the first field that says so. Anything else they may be for (to be classified, to be
 * clustered) has no instruction here: such texts are taken as they are.
 */
export function inputTypeOf(fields: Readonly<Partial<Record<keyof typeof taskFields, string>>>): InputType | undefined {
  const words = [fields.input_type, fields.task, fields.prompt_name].map((word) => word?.toLowerCase())
  return words.map((word) => inputTypes.get(word ?? '')).find((type) => type !== undefined)
}
