import { type Static, Type } from '@sinclair/typebox'
import type { Reasoning } from '../../core/chat.ts'
import { check, invalidValue, optionalAny, optionalFlag, presentFields } from '../check.ts'
import { budgetLimit, limitOf } from './token-limit.ts'

/** Fields of the body about thinking: every client family has its own. */
export const reasoningFields = {
  reasoning: optionalAny,
  reasoning_effort: Type.Optional(Type.String({ description: 'a string such as "low"' })),
  thinking: optionalAny,
  enable_thinking: optionalFlag,
}

const ReasoningBody = Type.Object(reasoningFields)
const ReasoningObject = Type.Object({
  enabled: optionalFlag,
  exclude: optionalFlag,
  effort: Type.Optional(Type.String({ description: 'a string such as "low"' })),
  max_tokens: budgetLimit,
})
const Thinking = Type.Object({
  type: Type.String({ description: '"enabled", "disabled" or "adaptive"' }),
  budget_tokens: budgetLimit,
})

interface ParsedReasoning {
  readonly reasoning: Reasoning
  /** True if the model's thinking is not shown. */
  readonly isHidden: boolean
}

/**
 * Reads the fields about thinking of a checked body. Where fields contradict each other the first wins: `reasoning`,
 * `reasoning_effort`, `thinking`. `templateFlag`, from the template variables, counts least of all, beside
 * `enable_thinking`. Throws ApiError 400.
 */
export function parseReasoning(body: Static<typeof ReasoningBody>, templateFlag: boolean | undefined): ParsedReasoning {
  const own = parseReasoningObject(body.reasoning)
  const said: Reasoning[] = [
    own.reasoning,
    body.reasoning_effort === undefined ? {} : parseEffort(body.reasoning_effort, 'reasoning_effort'),
    parseThinking(body.thinking),
  ]
  const mode = said.find((one) => one.mode !== undefined)?.mode
  const wish = body.enable_thinking ?? templateFlag
  return {
    reasoning: {
      ...(mode === undefined ? {} : { mode }),
      ...(mode === 'off' ? {} : firstOf(said, 'effort')),
      ...(mode === 'off' ? {} : firstOf(said, 'budgetTokens')),
      ...(wish === undefined ? {} : { templateMode: wish ? 'on' : 'off' }),
    },
    isHidden: own.isHidden,
  }
}

function firstOf(said: readonly Reasoning[], field: 'effort' | 'budgetTokens'): Reasoning {
  const value = said.find((one) => one[field] !== undefined)?.[field]
  return value === undefined ? {} : { [field]: value }
}

function parseReasoningObject(value: unknown): ParsedReasoning {
  if (value === undefined) return { reasoning: {}, isHidden: false }
  const fields = check(ReasoningObject, presentFields(value, 'reasoning'), 'reasoning')
  const effort = fields.effort === undefined ? {} : parseEffort(fields.effort, 'reasoning.effort')
  const isOff = fields.enabled === false || effort.mode === 'off' || fields.max_tokens === 0
  const isHidden = fields.exclude ?? false
  const budgetTokens = limitOf(fields.max_tokens)
  if (isOff) return { reasoning: { mode: 'off' }, isHidden }
  return {
    reasoning: {
      ...effort,
      ...(fields.enabled === true ? { mode: 'on' } : {}),
      ...(budgetTokens === undefined ? {} : { budgetTokens }),
    },
    isHidden,
  }
}

/** Parses the messages dialect's field, which some clients send here too. */
function parseThinking(value: unknown): Reasoning {
  if (value === undefined) return {}
  const { type, budget_tokens } = check(Thinking, presentFields(value, 'thinking'), 'thinking')
  const budget = limitOf(budget_tokens)
  switch (type) {
    case 'enabled':
      if (budget === 0) return { mode: 'off' }
      return { mode: 'on', ...(budget === undefined ? {} : { budgetTokens: budget }) }
    case 'disabled':
      return { mode: 'off' }
    case 'adaptive':
    case 'auto':
      return {}
    default:
      throw invalidValue('thinking.type', '"enabled", "disabled" or "adaptive"')
  }
}

const efforts: Readonly<Record<string, Reasoning>> = {
  none: { mode: 'off' },
  minimal: { mode: 'on', effort: 'minimal' },
  low: { mode: 'on', effort: 'low' },
  medium: { mode: 'on', effort: 'medium' },
  high: { mode: 'on', effort: 'high' },
  // Other services' names for efforts above the highest
  xhigh: { mode: 'on', effort: 'high' },
  max: { mode: 'on', effort: 'high' },
  ultra: { mode: 'on', effort: 'high' },
}

/** Reads an effort by its common name. Throws ApiError 400 for other names; `path` is the field's dotted place. */
export function parseEffort(effort: string, path: string): Reasoning {
  const known = Object.hasOwn(efforts, effort) ? efforts[effort] : undefined
  if (known === undefined) throw invalidValue(path, `one of ${Object.keys(efforts).join(', ')}`)
  return known
}
