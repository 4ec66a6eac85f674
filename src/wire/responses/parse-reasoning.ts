import { Type } from '@sinclair/typebox'
import type { Reasoning } from '../../core/chat.ts'
import { check, presentFields } from '../check.ts'
import { parseEffort } from '../parse-effort.ts'
import type { InputItem } from './parse-input.ts'

const Settings = Type.Object({
  effort: Type.Optional(Type.String({ description: 'a string such as "low"' })),
  enabled: Type.Optional(Type.Boolean({ description: 'true or false' })),
})

export function parseReasoning(fields: Readonly<Record<string, unknown>>, items: readonly InputItem[]): Reasoning {
  const update = items.findLast(({ type, item }) => type === 'configuration_update' && item.reasoning)
  const value = update?.item.reasoning ?? fields.reasoning
  const path = update === undefined ? 'reasoning' : `${update.path}.reasoning`
  if (value === undefined) return {}
  const { effort, enabled } = check(Settings, presentFields(value, path), path)
  if (effort !== undefined) return parseEffort(effort, `${path}.effort`)
  return enabled === undefined ? {} : { mode: enabled ? 'on' : 'off' }
}

export function isSummaryWanted(reasoning: unknown): boolean {
  if (typeof reasoning !== 'object' || reasoning === null) return false
  const { summary, generate_summary } = reasoning as Record<string, unknown>
  const wish = summary ?? generate_summary
  return typeof wish === 'string' && wish !== 'none'
}
