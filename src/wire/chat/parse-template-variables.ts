import type { JsonObject, JsonValue } from '../../core/json.ts'
import { invalidValue } from '../check.ts'
import { isDeeperThan, wellFormed } from './client-json.ts'

const path = 'chat_template_kwargs'
const maxDepth = 20
const maxCharacters = 65_536

export interface ParsedVariables {
  readonly variables: Readonly<Record<string, JsonValue>> | undefined
  /** What they say about thinking, in either common spelling. */
  readonly thinking: boolean | undefined
}

/** `chat_template_kwargs`. Throws ApiError 400 for anything but a small object. */
export function parseTemplateVariables(value: unknown): ParsedVariables {
  if (value === undefined) return { variables: undefined, thinking: undefined }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw invalidValue(path, 'an object')
  if (isDeeperThan(value, maxDepth)) throw invalidValue(path, `an object nested at most ${maxDepth} deep`)
  if (JSON.stringify(value).length > maxCharacters) {
    throw invalidValue(path, `an object of at most ${maxCharacters} characters`)
  }
  const given = wellFormed(value as JsonObject) // it came from JSON
  const { enable_thinking: enabled, thinking } = given
  const rest = Object.entries(given).filter(
    ([name, variable]) => !(isSwitch(name) && typeof variable === 'boolean') && !ours.has(name),
  )
  const flag = typeof enabled === 'boolean' ? enabled : thinking
  return {
    variables: rest.length === 0 ? undefined : Object.fromEntries(rest),
    thinking: typeof flag === 'boolean' ? flag : undefined,
  }
}

/** What the server tells the template itself, of this very request. */
const ours = new Set(['messages', 'tools', 'add_generation_prompt', 'bos_token', 'eos_token'])

/** These stand in the request's reasoning, where what counts more can overrule them. */
function isSwitch(name: string): boolean {
  return name === 'enable_thinking' || name === 'thinking'
}
