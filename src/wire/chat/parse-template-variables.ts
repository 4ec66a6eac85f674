import { isObject } from '../../core/json.ts'
import { invalidValue } from '../check.ts'
import { isDeeperThan, wellFormed } from './client-json.ts'

const path = 'chat_template_kwargs'
const maxDepth = 20
const maxCharacters = 65_536

/**
 * Returns `chat_template_kwargs` and, separately, the thinking switch in either common spelling. Throws ApiError 400
 * for anything but a small object.
 */
export function parseTemplateVariables(value: unknown) {
  if (value === undefined) return { variables: undefined, thinking: undefined }
  if (!isObject(value)) throw invalidValue(path, 'an object')
  if (isDeeperThan(value, maxDepth)) throw invalidValue(path, `an object nested at most ${maxDepth} deep`)
  if (JSON.stringify(value).length > maxCharacters) {
    throw invalidValue(path, `an object of at most ${maxCharacters} characters`)
  }
  const given = wellFormed(value)
  const { enable_thinking: enabled, thinking } = given
  // Switches belong to the request's reasoning, where other fields may overrule them.
  const isSwitch = (name: string) =>
    (name === 'enable_thinking' || name === 'thinking') && typeof given[name] === 'boolean'
  const rest = Object.entries(given).filter(([name]) => !isSwitch(name) && !ours.has(name))
  const flag = typeof enabled === 'boolean' ? enabled : thinking
  return {
    variables: rest.length === 0 ? undefined : Object.fromEntries(rest),
    thinking: typeof flag === 'boolean' ? flag : undefined,
  }
}

/** Variables that the server sets itself for each request. */
const ours = new Set(['messages', 'tools', 'add_generation_prompt', 'bos_token', 'eos_token'])
