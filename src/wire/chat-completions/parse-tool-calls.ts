import { type Static, Type } from '@sinclair/typebox'
import type { ToolCall } from '../../core/chat.ts'
import { isObject } from '../../core/json.ts'
import { check, invalidValue, optionalAny, presentFields } from '../check.ts'

const text = Type.String({ description: 'a string' })

const Call = Type.Object({
  id: Type.Optional(text),
  type: Type.Optional(text),
  function: optionalAny,
  custom: optionalAny,
})
const CalledFunction = Type.Object({ name: text, arguments: optionalAny })
const CalledCustom = Type.Object({ name: text, input: Type.Optional(text) })

/** Calls of an earlier assistant turn, as the client echoes them. Any text is accepted as arguments. */
export function parseToolCalls(value: unknown, path: string): ToolCall[] {
  if (value === undefined) return []
  if (!Array.isArray(value)) throw invalidValue(path, 'an array of tool calls')
  return value.flatMap((call, index) => (call === null ? [] : parseCall(call, `${path}[${index}]`)))
}

function parseCall(value: unknown, path: string): ToolCall {
  const call = check(Call, presentFields(value, path), path)
  const id = call.id?.toWellFormed() ?? ''
  if (call.type === 'custom' || (call.type === undefined && call.custom !== undefined)) {
    const inner = `${path}.custom`
    const { name, input = '' } = check(CalledCustom, presentFields(call.custom ?? {}, inner), inner)
    return { id, name: name.toWellFormed(), argumentsText: JSON.stringify({ input: input.toWellFormed() }) }
  }
  if (call.type !== undefined && call.type !== 'function') throw invalidValue(`${path}.type`, '"function" or "custom"')
  return { id, ...parseCalledFunction(call.function, `${path}.function`) }
}

/** Parses `{name, arguments}`, also as the `function_call` of older clients. */
export function parseCalledFunction(value: unknown, path: string): Omit<ToolCall, 'id'> {
  const called = check(CalledFunction, presentFields(value ?? {}, path), path)
  return { name: called.name.toWellFormed(), argumentsText: argumentsTextOf(called, path) }
}

function argumentsTextOf({ arguments: given }: Static<typeof CalledFunction>, path: string): string {
  if (given === undefined) return ''
  if (typeof given === 'string') return given.toWellFormed()
  if (!isObject(given)) throw invalidValue(`${path}.arguments`, 'a string')
  try {
    // Some clients send the arguments back parsed.
    return JSON.stringify(given).toWellFormed()
  } catch {
    // JSON.stringify recurses, and overflows on values that are nested too deeply.
    throw invalidValue(`${path}.arguments`, 'a string, or an object that is not nested as deeply')
  }
}
